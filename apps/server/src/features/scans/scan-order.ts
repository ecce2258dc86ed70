// The orders of the list of enhanced scans.
import type { ScanSort, ScanSortField } from "@strongroom/contract";
import { sql } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";
import { SCAN_KEYS, countKey } from "#features/discovery/index.ts";

const KEYS: Record<ScanSortField | "requested", OrderKey> = {
  ...SCAN_KEYS,
  findings: countKey(sql`scan.findings_discovered`),
};

export const orderOf = (sort: ScanSort | "-requested" = "-requested"): ListOrder => listOrder(KEYS, sort);
