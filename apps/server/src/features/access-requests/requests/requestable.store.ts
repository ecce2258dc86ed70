// Database queries for accounts that a user may request, with the requirements of their platforms.
import type { ConnectionMethod, SystemType } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { NAME_KEY } from "#features/secrets/index.ts";
import { bitOf, seesEverySafe, effectivePermissionsOf } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Viewer } from "./shown-requests.store.ts";

export interface RequestableRow {
  account_id: string;
  name: string;
  hostname_ip: string;
  username: string;
  safe_id: string;
  safe_name: string;
  system_type: SystemType;
  connection_method: ConnectionMethod;
  /** The requester's permissions in the safe. */
  permissions: Permissions;
  approvals_level_1: number;
  approvals_level_2: number;
  approve_extensions: boolean;
  reason_required: boolean;
  ticket_required: boolean;
  default_duration_minutes: number;
  max_duration_minutes: number;
  may_break_glass: boolean;
}

/** INVARIANT: only active accounts in an active safe can be requested. */
const requestable = (viewer: Viewer, condition: RawBuilder<unknown>): RawBuilder<RequestableRow> => sql<RequestableRow>`
  select credentials.id as account_id, credentials.name, coalesce(credentials.host, '') as hostname_ip,
    coalesce(credentials.username, '') as username, credentials.safe_id, safes.name as safe_name, accounts.system_type,
    accounts.connection_method, coalesce(standing.permissions, 0) as permissions, platforms.approvals_level_1, platforms.approvals_level_2,
    platforms.approve_extensions, platforms.reason_required, platforms.ticket_required,
    platforms.default_duration_minutes, platforms.max_duration_minutes,
    exists (
      select from group_members mine join groups on groups.id = mine.group_id
      where mine.user_id = ${viewer.id} and groups.may_break_glass
    ) as may_break_glass
  from credentials
  join safes on safes.id = credentials.safe_id and safes.status = 'active'
  left join ${effectivePermissionsOf(viewer)} standing on standing.safe_id = credentials.safe_id
  join accounts on accounts.id = credentials.id and accounts.status = 'active'
  join platforms on platforms.id = accounts.platform_id
  where credentials.deleted_at is null and ${condition}`;

const seen = sql`standing.permissions & ${sql.lit(bitOf("list"))} <> 0`;

/** Null if there is no such account that the user can see. */
export async function readRequestable(db: Db, viewer: Viewer, accountId: string): Promise<RequestableRow | null> {
  return (await requestable(viewer, sql`credentials.id = ${accountId} and ${seen}`).execute(db)).rows[0] ?? null;
}

/** Also reads accounts that the user cannot see, because a non-member may be granted access to an account. */
export async function readGrantedAccount(db: Db, viewer: Viewer, accountId: string): Promise<RequestableRow | null> {
  return (await requestable(viewer, sql`credentials.id = ${accountId}`).execute(db)).rows[0] ?? null;
}

const MOST = 20;

/** The requestable accounts among these ids, by name, at most 20. */
export const findAmong = (db: Db, viewer: Viewer, ids: readonly string[]): Promise<RequestableRow[]> =>
  byName(db, viewer, sql`credentials.id = any(${[...ids]}::uuid[])`);

const isIdle = sql`credentials.id in (select id from accounts where status <> 'active')`;

/**
 * Returns the first 20 accounts by name that the user can see. Reads them from the index of names or, for users who cannot see
 * every safe, safe by safe.
 */
export function findFirst(db: Db, viewer: Actor): Promise<RequestableRow[]> {
  // Sort by all columns of the index: the planner does not know that a column that is always null has only one value.
  const ofAll = sql`
    select credentials.id from credentials
    where user_id is null and deleted_at is null and not ${isIdle}
      and safe_id in (select id from safes where status = 'active' and deleted_at is null)
    order by user_id, ${NAME_KEY} limit ${sql.lit(MOST)}`;
  const ofOne = sql`
    select credentials.id, ${NAME_KEY} as key from credentials
    where credentials.safe_id = visible.safe_id and deleted_at is null and not ${isIdle}
    order by key limit ${sql.lit(MOST)}`;
  const ofSome = sql`
    select first.id from (
      select standing.safe_id from ${effectivePermissionsOf(viewer)} standing
      join safes on safes.id = standing.safe_id and safes.status = 'active' where ${seen}
    ) visible cross join lateral (${ofOne}) first order by first.key limit ${sql.lit(MOST)}`;
  return byName(db, viewer, sql`credentials.id in (${seesEverySafe(viewer) ? ofAll : ofSome})`);
}

async function byName(db: Db, viewer: Viewer, condition: RawBuilder<unknown>): Promise<RequestableRow[]> {
  const query = requestable(viewer, sql`${seen} and ${condition}`);
  return (await sql<RequestableRow>`${query} order by ${NAME_KEY}, credentials.id limit ${sql.lit(MOST)}`.execute(db))
    .rows;
}
