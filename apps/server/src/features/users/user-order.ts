// The orders of the list of users.
import type { UserSort, UserSortField } from "@strongroom/contract";
import { sql } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";

const KEYS: Record<UserSortField, OrderKey> = {
  name: { key: sql`lower(users.name) collate "C"`, kind: "text" },
  email: { key: sql`users.email collate "C"`, kind: "text" },
  role: { key: sql`users.role collate "C"`, kind: "text" },
  /** A user who never signed in comes before all others. */
  last_signed_in_at: {
    key: sql`date_trunc('milliseconds', coalesce(users.last_signed_in_at, 'epoch'::timestamptz))`,
    kind: "time",
  },
  /** Ids are UUIDv7 and sort by creation time. */
  created_at: { key: sql`users.id`, kind: "id" },
};

/** Newest first by default. */
export const orderOf = (sort: UserSort = "-created_at"): ListOrder => listOrder(KEYS, sort);
