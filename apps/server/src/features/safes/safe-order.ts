// The orders of the list of safes.
import type { SafeSort, SafeSortField } from "@strongroom/contract";
import { sql } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";

const KEYS: Record<SafeSortField, OrderKey> = {
  name: { key: sql`lower(safes.name)`, kind: "text" },
  owner: { key: sql`(select lower(users.name) from users where users.id = safes.owner_id)`, kind: "text" },
  updated: { key: sql`date_trunc('milliseconds', safes.updated_at)`, kind: "time" },
};

export const orderOf = (sort: SafeSort = "name"): ListOrder => listOrder(KEYS, sort);
