// What a person sees in the validation area: their own credentials, and the accounts of safes and grants; and how grave it is
// when one of them fails. Every query of this feature goes through it.
import type { SystemFamily } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { bitOf, seesEverySafe, standingsOf } from "#features/safes/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { containing } from "#kernel/db/containing.ts";
import { FAMILIES } from "./validation.policy.ts";

export type Sql = RawBuilder<unknown>;
export type Who = Pick<Actor, "id" | "role">;

/** What other features tell of grants. */
export interface GrantQueries {
  /** The actor's own grants in force: `account_id`, `request_id`, `ends_at`. */
  grantsInForce(actor: Who): Sql;
  /** The requests on accounts that the actor may see; see `requestsSeenBy`. */
  requestsSeenBy(actor: Who): Sql;
}

/** The common table expressions that `isSeen` refers to. */
export function seen(actor: Who, { grantsInForce }: Pick<GrantQueries, "grantsInForce">): Sql {
  // Administrators see every safe, so there is nothing to ask for.
  const all = seesEverySafe(actor);
  const none = sql`select null::uuid, 0 where false`;
  return sql`
    visible (safe_id, permissions) as materialized (${all ? none : sql`select safe_id, permissions from ${standingsOf(actor)} standing`}),
    lent (account_id) as materialized (${all ? sql`select null::uuid where false` : sql`select account_id from ${grantsInForce(actor)} lent`})`;
}

/**
 * Of a row `credentials` that was found by something else. INVARIANT: what a person does not see takes no part in any figure
 * or list.
 */
export function isSeen(actor: Who): Sql {
  const ofSafes = seesEverySafe(actor)
    ? sql`credentials.safe_id is not null`
    : sql`credentials.safe_id in (select safe_id from visible) or credentials.id in (select account_id from lent)`;
  return sql`(credentials.deleted_at is null and (credentials.user_id = ${actor.id} or ${ofSafes}))`;
}

/**
 * The same as a table, to be named `credentials`: each part is read by an index of its own, where `isSeen` would read
 * everything that there is. All columns, or those that an index holds.
 */
export function seenRows(actor: Who, columns: Sql = sql`credentials.*`, ofOwn: Sql = columns): Sql {
  const own = sql`select ${ofOwn} from credentials where user_id = ${actor.id} and deleted_at is null`;
  if (seesEverySafe(actor))
    return sql`(${own} union all
      select ${columns} from credentials where safe_id is not null and deleted_at is null)`;
  return sql`(${own} union all
    select ${columns} from visible join credentials on credentials.safe_id = visible.safe_id
    where credentials.deleted_at is null
    union all
    select ${columns} from credentials
    where id in (select account_id from lent) and deleted_at is null and safe_id not in (select safe_id from visible))`;
}

/**
 * The same in parts, for a page in an order of which each part has an index: what stands behind `from`, named `credentials`,
 * up to and with a condition.
 */
export function seenParts(actor: Who, joined: Sql): Sql[] {
  const own = sql`credentials ${joined} where credentials.user_id = ${actor.id} and credentials.deleted_at is null`;
  if (seesEverySafe(actor))
    return [
      own,
      sql`credentials ${joined}
        where credentials.user_id is null and credentials.safe_id is not null and credentials.deleted_at is null`,
    ];
  return [
    own,
    sql`visible join credentials on credentials.safe_id = visible.safe_id ${joined} where credentials.deleted_at is null`,
    sql`credentials ${joined} where credentials.id in (select account_id from lent)
      and credentials.deleted_at is null and credentials.safe_id not in (select safe_id from visible)`,
  ];
}

/** Whether the actor may have it validated, of rows `credentials` with these ids. */
export const mayValidate = (actor: Who): Sql => sql`(coalesce(credentials.user_id = ${actor.id}, false) or exists (
    select from ${standingsOf(actor)} standing
    where standing.safe_id = credentials.safe_id and standing.permissions & ${sql.lit(bitOf("manage_secret"))} <> 0))`;

/** What `severity` and most lists need beside `credentials`. */
export const withAccount = sql`
  left join accounts on accounts.id = credentials.id
  left join safes on safes.id = credentials.safe_id`;

/** Lent to anybody now, or a platform's reconcile account: others depend on it this very moment. */
const isDependedOn = sql`(
    credentials.id in (
      select account_id from access_requests
      where state = 'granted' and starts_at <= access_time() and ends_at > access_time())
    or credentials.id in (
      select reconcile_account_id from platforms
      where reconcile_account_id is not null and is_active and deleted_at is null))`;

const isRefused = sql`(credentials.rejected_revision is not distinct from credentials.login_revision)`;

/** VAL-37, of a row that fails, as `Severity` of the contract says; null of one that does not. */
export const severity = sql<string | null>`case
    when credentials.verification_status <> 'failed' then null
    when accounts.status <> 'active' or safes.status <> 'active' then 'low'
    when credentials.offered_host_key is not null or ${isDependedOn}
      or (credentials.user_id is not null and credentials.environment = 'production' and ${isRefused}) then 'critical'
    when ${isRefused} then 'high'
    else 'medium' end`;

/** VAL-52, as `statusOfSecret` says. */
export const status = sql`case
    when credentials.verification_status <> 'pending' then credentials.verification_status
    when credentials.last_verification_attempt is null then 'never_validated'
    else 'pending' end`;

export const systemType = sql<string>`coalesce(accounts.system_type, credentials.type)`;

const NAMED = Object.values(FAMILIES).flat();

/** Of a type as `systemType` says. */
export function isOfFamily(type: Sql, family: SystemFamily): Sql {
  return family === "Other"
    ? sql`${type} <> all(${[...NAMED]}::text[])`
    : sql`${type} = any(${[...FAMILIES[family]]}::text[])`;
}

/** In name, user name or host; `text` is folded and not empty. */
export const isNamed = (text: string): Sql => sql`(credentials.search_text like ${containing(text)}
    or credentials.user_id is not null and lower(coalesce(credentials.host, '')) like ${containing(text)})`;
