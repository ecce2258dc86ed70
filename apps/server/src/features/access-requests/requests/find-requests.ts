// Lists, reads and counts requests, and finds requestable accounts.
import type {
  AccessRequest,
  AccountId,
  RequestableAccount,
  accessRequestStatistics,
  findRequestable,
  listAccessRequests,
  readAccessRequest,
  AccessRequestStatus,
  mapAccessRequest,
} from "@strongroom/contract";
import { namesOf, approversOf } from "#features/safes/index.ts";
import type { Approvers } from "#features/safes/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readPlace, pageInOrder } from "#kernel/db/list-order.ts";
import { approvalsRequired, statusOf } from "../access-requests.policy.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import {
  readRequestView,
  approversOfRequests,
  toAccessRequest,
  viewOf,
  resourceOf,
  finishChange,
  requireAction,
} from "../access-requests.ts";
import { findAmong, findFirst, readRequestable } from "./requestable.store.ts";
import type { RequestableRow } from "./requestable.store.ts";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import type { ShownRequest } from "./shown-requests.store.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { lockRequestRow, hasOtherOpenRequest, updateRequest, updateRound } from "../access-requests.store.ts";
import { lockRequestedAccount } from "./create-request.ts";
import { lockOwnUser } from "../lock-request.ts";
import { orderOf } from "./request-order.ts";
import { countTabs, listRequests, readStatistics, readVisible, searchRequests } from "./shown-requests.store.ts";

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

export async function findRequests(call: Call<typeof listAccessRequests>, db: Db) {
  const { limit, cursor, status, search, mine, user_id, account_id, sort } = call.query;
  const rows = await listRequests(db, call.actor, {
    tab: status === undefined || status === "all" ? null : status,
    search: search === undefined || search === "" ? null : search,
    isOwn: mine === true,
    userId: user_id ?? null,
    accountId: account_id ?? null,
    limit,
    sort,
    after: cursor === undefined ? null : readPlace(orderOf(sort), cursor),
  });
  const { shown, next_cursor } = pageInOrder(rows, limit);
  const approvers = await approversOfRequests(db, shown);
  return {
    requests: shown.map((row) => toAccessRequest(row, viewOf(row, approvers(row), call.actor))),
    next_cursor,
    counts: await countTabs(db, call.actor),
  };
}

export async function readOne(call: Call<typeof readAccessRequest>, db: Db): Promise<AccessRequest> {
  const { row, view } = await readRequestView(db, call.actor, call.params.id);
  return toAccessRequest(row, view);
}

/** OPEN-20: statistics of all requests; ordinary users get only their own. */
export const statistics = (call: Call<typeof accessRequestStatistics>, db: Db) =>
  readStatistics(db, call.actor.role === "user" ? call.actor.id : null);

/** The number of accounts to search for: more than are returned, because some of them cannot be requested. */
const LOOKED_AT = 60;

export async function requestable(context: AccessRequestContext, call: Call<typeof findRequestable>, db: Db) {
  const { actor } = call;
  const found = await find(context, call, db);
  const approvers = await approversOf(
    db,
    found.map(({ safe_id }) => safe_id),
  );
  return { resources: found.map((account) => toRequestable(account, actor.id, approvers.get(account.safe_id))) };
}

async function find(
  context: AccessRequestContext,
  { actor, query }: Call<typeof findRequestable>,
  db: Db,
): Promise<RequestableRow[]> {
  const { account_id, search } = query;
  if (account_id !== undefined) {
    const one = await readRequestable(db, actor, account_id);
    return one === null ? [] : [one];
  }
  if (search === null) return findFirst(db, actor);
  return findAmong(db, actor, await context.findAccounts(db, actor, search, LOOKED_AT));
}

function toRequestable(account: RequestableRow, askerId: string, approvers: Approvers | undefined): RequestableAccount {
  const { level_1, level_2 } = approvalsRequired(account, namesOf(account.permissions));
  const levels = ([1, 2] as const).map((level) => ({
    level,
    needed: level === 1 ? level_1 : level_2,
    eligible: [...(approvers?.levels[level] ?? [])].filter((id) => id !== askerId).length,
  }));
  // The reply's schema drops all other columns.
  return {
    ...account,
    account_id: account.account_id as AccountId,
    approvals: levels.filter(({ needed }) => needed > 0),
  };
}

const hitOf = (row: ShownRequest): Hit => ({
  id: row.id,
  title: resourceOf(row),
  detail: `requested by ${row.username}, ${WORDS[statusOf(row, row.now)]}`,
  by: [row.username, row.user_email, row.ticket, row.system],
  can: [],
});

/**
 * Maps a free-text request to an account. The requester need not be a member of the safe, so the request needs at least one
 * approval, whatever the platform requires. A duration above the platform's maximum is reduced to the maximum.
 */
export async function mapToAccount(
  context: AccessRequestContext,
  call: Call<typeof mapAccessRequest>,
  tx: Tx,
): Promise<AccessRequest> {
  const { id } = call.params;
  await lockOwnUser(tx, call.actor, "beside others");
  // Checks the permission first, so that a refusal reveals nothing about the account.
  requireAction("map", (await readRequestView(tx, call.actor, id)).view);
  const account = await lockRequestedAccount(tx, call, call.body.account_id);
  await lockRequestRow(tx, id);
  const { row, view } = await readRequestView(tx, call.actor, id);
  requireAction("map", view);
  if (await hasOtherOpenRequest(tx, row.user_id, account.account_id)) {
    throw refuse(409, "access-request.already-open", `${row.username} already has an open request for that account.`);
  }
  const minutes = Math.min(row.duration_minutes, account.max_duration_minutes);
  await updateRequest(tx, id, { account_id: account.account_id, is_mapped: true, duration_minutes: minutes });
  await updateRound(tx, id, 0, { minutes, ...approvalsRequired(account, []) });
  return finishChange(context, tx, call, id, "mapped", {
    asked_for: row.resource,
    asked_minutes: row.duration_minutes,
  });
}
