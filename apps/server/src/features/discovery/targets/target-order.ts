// The orders of the list of discovery targets.
import type { TargetSort, TargetSortField } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";

/** A value of the target's last scan, `scan`, in this table; null without a scan. */
export const ofLastScan = (table: "discovery_scans" | "scans", value: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select ${value} from ${sql.table(table)} scan where scan.target_id = discovery_targets.id
    order by scan.created_at desc, scan.id desc limit 1)`;

/** Targets without a scan come before all others. */
const timeOfLast = (table: "discovery_scans" | "scans"): OrderKey => ({
  key: sql`coalesce(${ofLastScan(table, sql`date_trunc('milliseconds', scan.created_at)`)}, 'epoch'::timestamptz)`,
  kind: "time",
});

const KEYS: Record<TargetSortField, OrderKey> = {
  name: { key: sql`lower(discovery_targets.name)`, kind: "text" },
  host: { key: sql`lower(discovery_targets.hostname)`, kind: "text" },
  type: { key: sql`discovery_targets.target_type`, kind: "text" },
  safe: { key: sql`lower(safes.name)`, kind: "text" },
  basic: timeOfLast("discovery_scans"),
  enhanced: timeOfLast("scans"),
  /** Targets that no schedule scans come after all others. */
  next: {
    key: sql`coalesce(case when discovery_targets.is_active
      then date_trunc('milliseconds', discovery_targets.next_scan_at) end, '9999-01-01'::timestamptz)`,
    kind: "time",
  },
};

export const orderOf = (sort: TargetSort = "name"): ListOrder => listOrder(KEYS, sort);
