// Searches access requests for the global search, by resource and requester, among those that the viewer may see.
import type { AccessRequestStatus } from "@strongroom/contract";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { statusOf } from "../access-requests.policy.ts";
import { resourceOf } from "../access-requests.ts";
import { readVisible, searchRequests } from "./shown-requests.store.ts";
import type { ShownRequest } from "./shown-requests.store.ts";

export const searchableRequests: Searchable = {
  kind: "access-request",
  needs: "access-request.list",
  find: async (db, actor, text) => (await searchRequests(db, actor, text, MOST_FOUND)).map(hitOf),
  read: async (db, actor, ids) => (await readVisible(db, actor, ids)).map(hitOf),
};

const WORDS: Record<AccessRequestStatus, string> = {
  pending: "pending",
  approved: "approved",
  active: "active",
  expiring_soon: "expiring soon",
  denied: "denied",
  expired: "expired",
  revoked: "revoked",
};

const hitOf = (row: ShownRequest): Hit => ({
  id: row.id,
  title: resourceOf(row),
  detail: `requested by ${row.username}, ${WORDS[statusOf(row, row.now)]}`,
  by: [row.username, row.user_email, row.ticket, row.system],
  can: [],
});
