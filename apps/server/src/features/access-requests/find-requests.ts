// Lists requests, reads one, counts them, and finds what can be asked for.
import type {
  AccessRequest,
  AccountId,
  RequestableAccount,
  accessRequestStatistics,
  findRequestable,
  listAccessRequests,
  readAccessRequest,
} from "@strongroom/contract";
import { namesOf, overseersOf } from "#features/safes/index.ts";
import type { Overseers } from "#features/safes/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { demandsOf } from "./access-requests.policy.ts";
import type { Site } from "./access-requests.ts";
import { look, overseersOfAll, toAccessRequest, viewOf } from "./access-requests.ts";
import { findAmong, findFirst, readAsked } from "./requestable.store.ts";
import type { AskedAccount } from "./requestable.store.ts";
import { countTabs, listRequests, readStatistics } from "./shown-requests.store.ts";

export async function findRequests(call: Call<typeof listAccessRequests>, db: Db) {
  const { limit, cursor, status, search } = call.query;
  const rows = await listRequests(db, call.actor, {
    tab: status === undefined || status === "all" ? null : status,
    search: search === undefined || search === "" ? null : search,
    limit,
    after: cursor === undefined ? null : readTimePlace(cursor),
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const overseers = await overseersOfAll(db, page);
  return {
    requests: page.map((row) => toAccessRequest(row, viewOf(row, overseers(row), call.actor))),
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.created_at, id: last.id }),
    counts: await countTabs(db, call.actor),
  };
}

export async function readOne(call: Call<typeof readAccessRequest>, db: Db): Promise<AccessRequest> {
  const { row, view } = await look(db, call.actor, call.params.id);
  return toAccessRequest(row, view);
}

/** OPEN-20. */
export const statistics = (call: Call<typeof accessRequestStatistics>, db: Db) =>
  readStatistics(db, call.actor.role === "user" ? call.actor.id : null);

/** More than are shown, since some of what is found cannot be lent. */
const LOOKED_AT = 60;

export async function requestable(site: Site, call: Call<typeof findRequestable>, db: Db) {
  const { actor } = call;
  const found = await find(site, call, db);
  const overseers = await overseersOf(
    db,
    found.map(({ safe_id }) => safe_id),
  );
  return { resources: found.map((account) => toRequestable(account, actor.id, overseers.get(account.safe_id))) };
}

async function find(site: Site, { actor, query }: Call<typeof findRequestable>, db: Db): Promise<AskedAccount[]> {
  const { account_id, search } = query;
  if (account_id !== undefined) {
    const one = await readAsked(db, actor, account_id);
    return one === null ? [] : [one];
  }
  if (search === null) return findFirst(db, actor);
  return findAmong(db, actor, await site.findAccounts(db, actor, search, LOOKED_AT));
}

function toRequestable(account: AskedAccount, askerId: string, overseers: Overseers | undefined): RequestableAccount {
  const { level_1, level_2 } = demandsOf(account, namesOf(account.permissions));
  const levels = ([1, 2] as const).map((level) => ({
    level,
    needed: level === 1 ? level_1 : level_2,
    eligible: [...(overseers?.levels[level] ?? [])].filter((id) => id !== askerId).length,
  }));
  // What the reply's schema does not name stays here.
  return {
    ...account,
    account_id: account.account_id as AccountId,
    approvals: levels.filter(({ needed }) => needed > 0),
  };
}
