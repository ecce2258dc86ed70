// The orders of the lists of basic and enhanced scans.
import type { DiscoveryScanSort, DiscoveryScanSortField } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";

/** A count as a text of fixed length, because a cursor has no numbers. Null comes before all numbers. */
export const countKey = (count: RawBuilder<unknown>): OrderKey => ({
  key: sql`lpad((coalesce(${count}, -1) + 1)::text, 12, '0') collate "C"`,
  kind: "text",
});

/** The orders that both kinds of scans have. The expressions are those of the indexes. */
export const SCAN_KEYS = {
  requested: { key: sql`scan.created_at`, kind: "time" },
  target: { key: sql`lower(target.name)`, kind: "text" },
  status: { key: sql`scan.status collate "C"`, kind: "text" },
  started: { key: sql`coalesce(scan.started_at, scan.created_at)`, kind: "time" },
  /** Milliseconds. Scans that have not ended come before all others. */
  duration: countKey(sql`(extract(epoch from scan.completed_at - scan.started_at) * 1000)::bigint`),
} as const satisfies Record<string, OrderKey>;

const KEYS: Record<DiscoveryScanSortField | "requested", OrderKey> = {
  ...SCAN_KEYS,
  accounts: countKey(sql`scan.accounts_discovered`),
};

export const orderOf = (sort: DiscoveryScanSort | "-requested" = "-requested"): ListOrder => listOrder(KEYS, sort);
