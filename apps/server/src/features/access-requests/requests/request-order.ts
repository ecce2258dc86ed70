// The orders of the list of access requests.
import type { RequestSort, RequestSortField } from "@strongroom/contract";
import { sql } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";

const KEYS: Record<RequestSortField, OrderKey> = {
  /** As `resourceOf`. */
  resource: {
    key: sql`lower(coalesce((select name from credentials where credentials.id = request.account_id), request.resource))`,
    kind: "text",
  },
  requester: { key: sql`(select lower(users.name) from users where users.id = request.user_id)`, kind: "text" },
  requested: { key: sql`request.created_at`, kind: "time" },
  /** Requests without an end come before all others. */
  period: { key: sql`date_trunc('milliseconds', coalesce(request.ends_at, 'epoch'::timestamptz))`, kind: "time" },
};

/** Newest first by default. */
export const orderOf = (sort: RequestSort = "-requested"): ListOrder => listOrder(KEYS, sort);
