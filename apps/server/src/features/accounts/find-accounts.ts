// Lists and searches accounts, newest first, at a cost that does not grow with how many there are.
import type { AccountValidationStatus, listAccounts } from "@strongroom/contract";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { ACCOUNTS, fold, keysToFind } from "#features/credentials/index.ts";
import { seesEverySafe } from "#features/safes/index.ts";
import { toAccount } from "./accounts.ts";
import * as found from "./found-accounts.store.ts";
import type { Conditions, Found, Wish } from "./found-accounts.store.ts";
import { showAccounts } from "./shown-accounts.store.ts";
import type { GrantsInForce } from "./shown-accounts.store.ts";

/** How many of the next accounts are read in the hope that enough of them match, and how many at the most. */
const NEAR = 1_000;
const FARTHEST = 20_000;
/** So many accounts of the person's own safes are rather read than looked for. */
const FEW = 5_000;
/** A text that none of so many holds is rare: it is looked up, unless more than these have its keys. */
const PROBED = 200;
const MOST_LOOKED_UP = 2_000;

type Query = Call<typeof listAccounts>["query"];

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
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const wish: Wish = { actor, grantsInForce, conditions: conditionsOf(query), limit: limit + 1, after };
  const rows = await find(db, wish);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const ids = shown.map(({ id }) => id);
  return {
    data: (await showAccounts(db, actor, ids, grantsInForce)).map((row) => toAccount(row, actor)),
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.created_at, id: last.id }),
  };
}

/** For the global search: those whose names begin with the text, and the newest that hold it, each `limit` at most. */
export async function findIds(db: Db, actor: Actor, text: string, limit: number, grantsInForce: GrantsInForce) {
  const wish: Wish = { actor, grantsInForce, conditions: conditionsOf({ search: text }), limit, after: null };
  const [named, matching] = await Promise.all([found.beginning(db, wish, text, NEAR), find(db, wish)]);
  return [...new Set([...named, ...matching.map(({ id }) => id)])];
}

/**
 * A text that is rare is looked up; what is common among the accounts that a person sees is found soon by reading on; and
 * else by reading all that they see where that is little, or by what it matches. Which it is shows after some hundred rows,
 * without asking the planner, whose guess can be wrong by orders of magnitude.
 */
async function find(db: Db, wish: Wish): Promise<Found[]> {
  const { actor, conditions, limit } = wish;
  const isNarrowed = Object.values(conditions).some((condition) => condition !== null);
  if (!isNarrowed && seesEverySafe(actor)) return found.walk(db, wish, limit);
  if (isOneSafe(conditions)) return found.walk(db, wish, null);
  if (conditions.text === null || conditions.safeId !== null) return search(db, wish);
  const { rows, matching, named } = await found.probe(db, wish, PROBED);
  if (rows.length === limit) return rows;
  const known = { ...wish, named };
  const rare = matching > 0 ? null : await found.lookUpFew(db, known, byText(conditions.text), MOST_LOOKED_UP);
  return rare ?? search(db, known);
}

async function search(db: Db, wish: Wish): Promise<Found[]> {
  const { actor, conditions, limit } = wish;
  const isNarrowed = Object.values(conditions).some((condition) => condition !== null);
  const near = await found.walk(db, wish, NEAR);
  if (near.length === limit) return near;
  const enough = near.length === 0 ? Infinity : Math.ceil((1.5 * NEAR * limit) / near.length);
  if (enough <= FARTHEST) {
    const far = await found.walk(db, wish, enough);
    if (far.length === limit) return far;
  }
  if (!seesEverySafe(actor)) {
    const all = await found.scanSeen(db, wish, FEW, isNarrowed);
    if (all !== null) return all;
  }
  const candidates = candidatesFor(conditions);
  return candidates === null ? found.walk(db, wish, null) : found.lookUp(db, wish, candidates);
}

/** All of one safe: whatever comes next in it matches. */
const isOneSafe = ({ safeId, ...others }: Conditions): boolean =>
  safeId !== null && Object.values(others).every((condition) => condition === null);

const byText = (text: string): RawBuilder<unknown> => found.byKeys(keysToFind(ACCOUNTS, { search: text }), true);

/** What there are fewest of comes first. Null: nothing to go by. */
function candidatesFor({ text, platformId, systemType, verification, status }: Conditions): RawBuilder<unknown> | null {
  if (text !== null) return byText(text);
  if (status === "rotation_due") return found.byRotation();
  if (platformId !== null) return found.byPlatform(platformId);
  if (systemType !== null) return found.bySystem(systemType);
  if (verification === null) return null;
  return found.byKeys(keysToFind(ACCOUNTS, { verification_status: verification.status }), false);
}

function conditionsOf(query: Partial<Query>): Conditions {
  const text = fold(query.search ?? "");
  return {
    safeId: query.safe_id ?? null,
    text: text === "" ? null : text,
    platformId: query.platform_id ?? null,
    systemType: query.system_type ?? null,
    verification: query.validation_status === undefined ? null : VERIFICATION[query.validation_status],
    status: query.status ?? null,
  };
}

/** As `validationStatusOf` reads what is stored. */
const VERIFICATION: Record<AccountValidationStatus, NonNullable<Conditions["verification"]>> = {
  valid: { status: "verified", isAwaited: null },
  invalid: { status: "failed", isAwaited: null },
  pending: { status: "pending", isAwaited: true },
  untested: { status: "pending", isAwaited: false },
};
