// The orders of the list of verification attempts.
import type { AttemptSort, AttemptSortField } from "@strongroom/contract";
import { sql } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";

const KEYS: Record<AttemptSortField, OrderKey> = {
  name: { key: sql`lower(attempt.credential_name) collate "C"`, kind: "text" },
  /** An attempt in progress comes before all others. */
  result: { key: sql`coalesce(attempt.outcome, '') collate "C"`, kind: "text" },
  started: { key: sql`attempt.started_at`, kind: "time" },
  /** As a text of fixed length, because a cursor has no numbers. An attempt in progress comes before all others. */
  duration: { key: sql`lpad((coalesce(attempt.duration_ms, -1) + 1)::text, 10, '0') collate "C"`, kind: "text" },
};

/** Newest first by default. */
export const orderOf = (sort: AttemptSort = "-started"): ListOrder => listOrder(KEYS, sort);
