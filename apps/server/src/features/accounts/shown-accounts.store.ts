// Reads accounts as one user sees them: with the platform, the safe, the user's permissions and grant, and the current check-out.
import { ACCOUNT_FIELD_NAMES, CONNECTION_FIELD_NAMES } from "@strongroom/contract";
import type {
  Account,
  AccountField,
  AccountStatus,
  ConnectionField,
  Platform,
  RotationState,
  RotationStep,
  SafeStatus,
} from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import { rotationState } from "#features/secrets/index.ts";
import type { HostKey } from "#features/secrets/index.ts";
import { nameFor, effectivePermissionsOf } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import { afterUse } from "./accounts.store.ts";
import { checkedOutUntil, isUseOver } from "./checkout/check-outs.store.ts";

/** A query for the actor's active grants: `account_id`, `request_id`, `ends_at`. */
export type GrantsInForce = (actor: Pick<Actor, "id" | "role">) => RawBuilder<unknown>;

export interface ShownRow extends Pick<Account, AccountField | ConnectionField> {
  id: string;
  name: string;
  /** The type of the stored secret, which determines its connector. */
  type: string;
  username: string;
  host: string;
  secret_version: number;
  active_count: number;
  active_mac: Buffer | null;
  verification_status: string;
  last_verification_attempt: Date | null;
  verification_error: string | null;
  verify_after: Date | null;
  host_key: HostKey | null;
  offered_host_key: HostKey | null;
  last_accessed_at: Date | null;
  created_at: Date;
  updated_at: Date;
  status: AccountStatus;
  rotated_at: Date;
  rotation_wanted_at: Date | null;
  /** Whether a rotation is scheduled because a use has ended. */
  is_wanted_after_use: boolean;
  /** Whether a use has ended and its rotation is not scheduled yet, which takes only a moment. */
  is_use_over: boolean;
  rotation_block_lifted: boolean;
  rotation_hindrance: string | null;
  platform_id: string;
  platform_name: string;
  is_platform_active: boolean;
  has_reconcile_account: boolean;
  access_until_rotated: Platform["access_until_rotated"];
  rotate_every_days: number | null;
  rotation_notice_days: number;
  approvals: number;
  exclusive_check_out: boolean;
  rotate_after_check_in: boolean;
  one_time_password: boolean;
  /** Whether the active version was retrieved as a one-time password. */
  is_one_time_taken: boolean;
  reason_required: boolean;
  ticket_required: boolean;
  default_duration_minutes: number;
  safe_id: string;
  safe_name: string;
  safe_status: SafeStatus;
  permissions: Permissions;
  grant_id: string | null;
  grant_ends_at: Date | null;
  grant_ticket: string | null;
  out_user_id: string | null;
  out_name: string | null;
  out_since: Date | null;
  out_until: Date | null;
  /** The rotation in progress. */
  rotation_id: string | null;
  rotation_state: RotationState | null;
  rotation_step: RotationStep | null;
  rotation_message: string | null;
  /** The access time of the database. */
  now: Date;
}

const columnsOf = (table: string, names: readonly string[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql.ref(`${table}.${name}`)));

/** Returns those of these accounts that this user may see, newest first. */
export async function showAccounts(
  db: Db,
  actor: Pick<Actor, "id" | "role">,
  ids: readonly string[],
  grantsInForce: GrantsInForce,
): Promise<ShownRow[]> {
  if (ids.length === 0) return [];
  // Use a named statement, because the query looks up rows by id and planning it takes many times as long as executing it.
  const query = sql<ShownRow>`
    with standing as materialized (
      select safe_id, permissions from ${effectivePermissionsOf(actor)} standing
      where safe_id = any(array(select safe_id from credentials where id = any(${[...ids]}::uuid[])))
    ), active_grant as materialized (select account_id, request_id, ends_at, ticket from ${grantsInForce(actor)} active_grant)
    select credentials.id, credentials.name, credentials.type, credentials.username, credentials.host,
      ${columnsOf("credentials", CONNECTION_FIELD_NAMES)}, credentials.secret_version, credentials.active_count, credentials.active_mac,
      credentials.verification_status,
      credentials.last_verification_attempt, credentials.verification_error, credentials.verify_after,
      credentials.host_key, credentials.offered_host_key,
      credentials.last_accessed_at, credentials.created_at, credentials.updated_at,
      ${columnsOf("accounts", ACCOUNT_FIELD_NAMES)}, accounts.status, accounts.rotated_at, accounts.rotation_wanted_at, accounts.rotation_block_lifted, accounts.rotation_hindrance,
      ${afterUse(sql`accounts.rotation_wanted_because`)} as is_wanted_after_use,
      platforms.rotate_after_check_in and ${isUseOver} as is_use_over,
      platforms.is_active as is_platform_active, platforms.access_until_rotated,
      coalesce(platforms.reconcile_account_id <> accounts.id, false) as has_reconcile_account,
      platforms.id as platform_id, platforms.name as platform_name, platforms.rotate_every_days,
      platforms.rotation_notice_days, platforms.approvals_level_1 + platforms.approvals_level_2 as approvals,
      platforms.exclusive_check_out, platforms.rotate_after_check_in, platforms.one_time_password,
      platforms.reason_required, platforms.ticket_required, platforms.default_duration_minutes,
      safes.id as safe_id, safes.name as safe_name, safes.status as safe_status,
      coalesce(standing.permissions, 0) as permissions,
      active_grant.request_id as grant_id, active_grant.ends_at as grant_ends_at,
      active_grant.ticket as grant_ticket,
      checked_out.user_id as out_user_id, holder.name as out_name, checked_out.since as out_since,
      checked_out.until as out_until,
      rotation.id as rotation_id, rotation.state as rotation_state, rotation.message as rotation_message, rotation.step as rotation_step,
      exists (
        select from account_one_time_takes taken
        where taken.account_id = credentials.id and taken.version = credentials.secret_version
      ) as is_one_time_taken,
      access_time() as now
    from credentials
    join accounts on accounts.id = credentials.id
    join platforms on platforms.id = accounts.platform_id
    join safes on safes.id = credentials.safe_id
    left join standing on standing.safe_id = credentials.safe_id
    left join lateral (
      select request_id, ends_at, ticket from active_grant where active_grant.account_id = credentials.id order by ends_at desc limit 1
    ) active_grant on true
    left join lateral (
      select held.user_id, held.since, ${checkedOutUntil} as until from account_check_outs held
      where held.account_id = credentials.id and ${checkedOutUntil} > access_time()
    ) checked_out on true
    left join lateral (
      select id, message, step, ${rotationState} as state from rotations
      where rotations.credential_id = credentials.id and step <> 'ended'
    ) rotation on true
    left join users holder on holder.id = checked_out.user_id
    where credentials.id = any(${[...ids]}::uuid[]) and coalesce(credentials.deleted_at, 'infinity') = 'infinity'
      and (standing.permissions & 1 = 1 or active_grant.request_id is not null)
    order by credentials.created_at desc, credentials.id desc`.compile(db);
  return (await db.executeQuery(named(nameFor(actor, "accounts.shown"), query))).rows;
}
