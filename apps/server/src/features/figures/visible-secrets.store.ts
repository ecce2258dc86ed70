// The secrets that a user sees: their own credentials, and the accounts of safes and grants; and how severe a failure
// is.
// Every figure and list of the dashboards uses these queries.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { seesEverySafe, effectivePermissionsOf } from "#features/safes/index.ts";
import { isInForce } from "#features/access-requests/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { isFailingRow } from "#features/secrets/index.ts";

export type Sql = RawBuilder<unknown>;
export type Viewer = Pick<Actor, "id" | "role">;

/** Queries of the access request feature. */
export interface GrantQueries {
  /** The actor's active grants: `account_id`, `request_id`, `ends_at`. */
  grantsInForce(actor: Viewer): Sql;
  /** The access requests that the actor may see, with their accounts. */
  requestsSeenBy(actor: Viewer): Sql;
}

/** The common table expressions that `isVisibleSecret`, `visibleRows` and `visibleParts` need. */
export function visibleSecrets(actor: Viewer, { grantsInForce }: Pick<GrantQueries, "grantsInForce">): Sql {
  // Administrators see every safe, so their query reads no permissions.
  const all = seesEverySafe(actor);
  const none = sql`select null::uuid, 0 where false`;
  return sql`
    visible (safe_id, permissions) as materialized (${all ? none : sql`select safe_id, permissions from ${effectivePermissionsOf(actor)} standing`}),
    active_grant (account_id) as materialized (${all ? sql`select null::uuid where false` : sql`select account_id from ${grantsInForce(actor)} active_grant`})`;
}

/** A condition on a `credentials` row. INVARIANT: a secret that a user cannot see is never part of a figure or list. */
export function isVisibleSecret(actor: Viewer): Sql {
  const ofSafes = seesEverySafe(actor)
    ? sql`credentials.safe_id is not null`
    : sql`credentials.safe_id in (select safe_id from visible) or credentials.id in (select account_id from active_grant)`;
  return sql`(credentials.deleted_at is null and (credentials.user_id = ${actor.id} or ${ofSafes}))`;
}

/**
 * The same as a table, to be named `credentials`: each part uses its own index, where `isVisibleSecret` would read the
 * whole table. Selects all columns, or those that an index contains.
 */
export function visibleRows(actor: Viewer, columns: Sql = sql`credentials.*`, ofOwn: Sql = columns): Sql {
  const own = sql`select ${ofOwn} from credentials where user_id = ${actor.id} and deleted_at is null`;
  if (seesEverySafe(actor))
    return sql`(${own} union all
      select ${columns} from credentials where safe_id is not null and deleted_at is null)`;
  return sql`(${own} union all
    select ${columns} from visible join credentials on credentials.safe_id = visible.safe_id
    where credentials.deleted_at is null
    union all
    select ${columns} from credentials
    where id in (select account_id from active_grant) and deleted_at is null and safe_id not in (select safe_id from visible))`;
}

/**
 * The same as separate parts, for a sorted page that each part can read from an index. Each part is the text after
 * `from`: a table named `credentials` and a condition.
 */
export function visibleParts(actor: Viewer, joined: Sql): Sql[] {
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
    sql`credentials ${joined} where credentials.id in (select account_id from active_grant)
      and credentials.deleted_at is null and credentials.safe_id not in (select safe_id from visible)`,
  ];
}

/** The joins that `severity` and most lists need in addition to `credentials`. */
export const withAccount = sql`
  left join accounts on accounts.id = credentials.id
  left join safes on safes.id = credentials.safe_id`;

/** Under an active grant of any user, or a platform's reconcile account: other users or systems depend on it now. */
const isDependedOn = sql`(
    credentials.id in (
      select account_id from access_requests request where ${isInForce(sql`request`)})
    or credentials.id in (
      select reconcile_account_id from platforms
      where reconcile_account_id is not null and is_active and deleted_at is null))`;

const isRefused = sql`(credentials.rejected_revision is not distinct from credentials.login_revision)`;

/** VAL-37: the severity of a failing row, as `Severity` of the contract defines it; null for other rows. */
export const severity = sql<string | null>`case
    when not ${isFailingRow} then null
    when accounts.status <> 'active' or safes.status <> 'active' then 'low'
    when credentials.offered_host_key is not null or ${isDependedOn}
      or (credentials.user_id is not null and credentials.environment = 'production' and ${isRefused}) then 'critical'
    when ${isRefused} then 'high'
    else 'medium' end`;

/** A condition on a `credentials` row: its rotation has stopped and is waiting for a decision. */
export const isRotationStopped: Sql = sql`credentials.id in (
    select credential_id from rotations where needs_attention and step <> 'ended')`;
