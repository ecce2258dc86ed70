// Decides which findings a person sees.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { retrievableAccounts } from "#features/accounts/index.ts";

/** The names that queries give to the table `findings`. */
type Alias = "f" | "finding" | "findings" | "same";

/** The rows of the partial index `findings_with_match`. */
export const hasMatch = (alias: Alias): RawBuilder<boolean> => {
  const row = sql.raw(alias);
  return sql<boolean>`(${row}.match_account_id is not null or ${row}.hidden_from is not null)`;
};

/**
 * INVARIANT: a match with a stored secret is shown only to users who may retrieve that account. Every query that reads
 * findings for a person has this condition, or `isShownWith`. Otherwise a file full of guesses would tell which of them is the
 * password.
 */
export const isShownTo = (actor: Actor, alias: Alias): RawBuilder<boolean> =>
  shownWith(sql.raw(alias), retrievableAccounts(actor));

/** The accounts with matches whose secret a user may retrieve. */
export type OwnMatches = readonly string[];

/**
 * Read before a list, because PostgreSQL takes longer to plan the subqueries of `isShownTo` than to read a page. A match that is
 * stored after this stays hidden from the user, and what it replaces stays shown.
 */
export async function ownMatchesOf(db: Db, actor: Actor): Promise<OwnMatches> {
  const { rows } = await sql<{ id: string }>`
    select f.match_account_id as id from findings f where ${hasMatch("f")} and f.match_account_id is not null
    union
    select unnest(f.hidden_from) from findings f where ${hasMatch("f")} and f.hidden_from is not null`.execute(db);
  const own = await retrievableAmong(
    db,
    actor,
    rows.map(({ id }) => id),
  );
  return [...own];
}

export function isShownWith(own: OwnMatches, alias: Alias): RawBuilder<boolean> {
  const row = sql.raw(alias);
  // Without own matches, the user sees every finding that is no match.
  if (own.length === 0) return sql<boolean>`(${row}.match_account_id is null)`;
  return shownWith(row, sql`(select unnest(${[...own]}::uuid[]))`);
}

const shownWith = (row: RawBuilder<unknown>, accounts: RawBuilder<unknown>) =>
  sql<boolean>`(${row}.match_account_id is null and ${row}.hidden_from is null
    or (${row}.match_account_id is null or ${row}.match_account_id in ${accounts})
      and (${row}.hidden_from is null or not ${row}.hidden_from && array${accounts}))`;

/** Those of the accounts whose secret the user may retrieve. */
export async function retrievableAmong(db: Db, actor: Actor, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from ${retrievableAccounts(actor)} mine where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
