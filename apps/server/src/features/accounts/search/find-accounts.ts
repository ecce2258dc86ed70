// Lists and searches accounts in any of their orders, at a cost that does not grow with the number of accounts.
import { verificationStatusOf } from "@strongroom/contract";
import type { listAccounts } from "@strongroom/contract";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { ACCOUNTS, fold, keysToFind } from "#features/secrets/index.ts";
import { seesEverySafe } from "#features/safes/index.ts";
import { toAccount } from "../accounts.ts";
import { readPlace, pageInOrder } from "#kernel/db/list-order.ts";
import { orderOf } from "./account-order.ts";
import * as found from "./found-accounts.store.ts";
import type { Conditions, Found, AccountQuery } from "./found-accounts.store.ts";
import { showAccounts } from "../shown-accounts.store.ts";
import type { GrantsInForce } from "../shown-accounts.store.ts";

/**
 * A search reads this many of the next accounts first. It reads more, up to `FARTHEST`, only if that is likely to fill the page.
 */
const NEAR = 1_000;
const FARTHEST = 20_000;
/** If the user's own safes contain at most this many accounts, all of them are read instead of searching by index. */
const FEW = 5_000;
/**
 * A text without a match among this many accounts is rare, and is looked up by index unless more than `MOST_LOOKED_UP` accounts
 * have its keys.
 */
const PROBED = 200;
const MOST_LOOKED_UP = 2_000;

type Query = Partial<Call<typeof listAccounts>["query"]> & { limit: number };

export async function findAccounts(call: Call<typeof listAccounts>, db: Db, grantsInForce: GrantsInForce) {
  return pageOfAccounts(db, call.actor, call.query, grantsInForce);
}

export async function pageOfAccounts(
  db: Db,
  actor: Pick<Actor, "id" | "role">,
  query: Query,
  grantsInForce: GrantsInForce,
) {
  const { limit, cursor } = query;
  const order = orderOf(query.sort);
  const after = cursor === undefined ? null : readPlace(order, cursor);
  const wish: AccountQuery = { actor, grantsInForce, conditions: conditionsOf(query), order, limit: limit + 1, after };
  const rows = await find(db, wish);
  const { shown, next_cursor } = pageInOrder(rows, limit);
  const ids = shown.map(({ id }) => id);
  const accounts = new Map((await showAccounts(db, actor, ids, grantsInForce)).map((row) => [row.id, row]));
  return {
    data: ids.flatMap((id) => {
      const row = accounts.get(id);
      return row === undefined ? [] : [toAccount(row, actor)];
    }),
    next_cursor,
  };
}

/** For the global search: accounts whose names begin with the text, then the newest matches, at most `limit` of each. */
export async function findIds(db: Db, actor: Actor, text: string, limit: number, grantsInForce: GrantsInForce) {
  const conditions = conditionsOf({ search: text });
  const query: AccountQuery = { actor, grantsInForce, conditions, order: orderOf(), limit, after: null };
  const [named, matching] = await Promise.all([found.findByPrefix(db, query, text, NEAR), find(db, query)]);
  return [...new Set([...named, ...matching.map(({ id }) => id)])];
}

/**
 * Chooses a search strategy. A rare text is looked up by index. A common text is found by reading the next accounts. Otherwise,
 * reads all accounts that the user can see if there are few of them, or uses the index of another condition. The choice is based
 * on a few hundred rows, not on the query planner, whose estimates can be wrong by orders of magnitude.
 */
async function find(db: Db, query: AccountQuery): Promise<Found[]> {
  const { actor, conditions, limit } = query;
  const isNarrowed = Object.values(conditions).some((condition) => condition !== null);
  if (!isNarrowed && seesEverySafe(actor)) return found.walk(db, query, limit);
  if (isOneSafe(conditions)) return found.walk(db, query, null);
  if (conditions.text === null || conditions.safeId !== null) return search(db, query);
  const { rows, matching, named } = await found.probe(db, query, PROBED);
  if (rows.length === limit) return rows;
  const known = { ...query, named };
  const rare = matching > 0 ? null : await found.lookUpFew(db, known, byText(conditions.text), MOST_LOOKED_UP);
  return rare ?? search(db, known);
}

async function search(db: Db, query: AccountQuery): Promise<Found[]> {
  const { actor, conditions, limit } = query;
  const isNarrowed = Object.values(conditions).some((condition) => condition !== null);
  const near = await found.walk(db, query, NEAR);
  if (near.length === limit) return near;
  const enough = near.length === 0 ? Infinity : Math.ceil((1.5 * NEAR * limit) / near.length);
  if (enough <= FARTHEST) {
    const far = await found.walk(db, query, enough);
    if (far.length === limit) return far;
  }
  if (!seesEverySafe(actor)) {
    const all = await found.scanVisible(db, query, FEW, isNarrowed);
    if (all !== null) return all;
  }
  const candidates = candidatesFor(conditions);
  return candidates === null ? found.walk(db, query, null) : found.lookUp(db, query, candidates);
}

/** Whether the safe is the only condition, so that every next account in it matches. */
const isOneSafe = ({ safeId, ...others }: Conditions): boolean =>
  safeId !== null && Object.values(others).every((condition) => condition === null);

const byText = (text: string): RawBuilder<unknown> => found.byKeys(keysToFind(ACCOUNTS, { search: text }), true);

/** Returns the candidates of the most selective condition that has an index. Null if no condition has an index. */
function candidatesFor(conditions: Conditions): RawBuilder<unknown> | null {
  const { text, platformId, systemType, verification, status, tag, host } = conditions;
  if (host !== null) return found.byHost(host);
  if (text !== null) return byText(text);
  if (tag !== null) return found.byTag(tag);
  if (status === "rotation_due") return found.byRotation();
  if (platformId !== null) return found.byPlatform(platformId);
  if (systemType !== null) return found.bySystem(systemType);
  if (verification === null) return null;
  return found.byKeys(keysToFind(ACCOUNTS, { verification_status: verification }), false);
}

export function conditionsOf(query: Partial<Query>): Conditions {
  const text = fold(query.search ?? "");
  return {
    safeId: query.safe_id ?? null,
    text: text === "" ? null : text,
    platformId: query.platform_id ?? null,
    systemType: query.system_type ?? null,
    verification: query.validation_status === undefined ? null : verificationStatusOf(query.validation_status),
    status: query.status ?? null,
    tag: query.tag ?? null,
    host: query.host?.toLowerCase() ?? null,
    secretAge: query.secret_age ?? null,
  };
}
