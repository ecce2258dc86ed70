// Takes snapshots of users' permissions and of the accounts in their safes, before and after a change that is rolled
// back.
import type { AccessLevel, AccountStatus, SafeStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { activeGrants } from "#features/access-requests/index.ts";
import { effectivePermissionsOf } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import { OUTER_USER } from "../access-control.store.ts";

/** The users and safes that a change may affect. `safes` is null for all safes. */
export interface PreviewScope {
  people: readonly string[];
  safes: readonly string[] | null;
}

export interface PermissionRow {
  user_id: string;
  safe_id: string;
  permissions: Permissions;
}

/** The number of accounts in a safe that have the same values in every column that determines access. */
export interface AccountCountRow {
  safe_id: string;
  safe_status: SafeStatus;
  platform_id: string;
  account_status: AccountStatus;
  approvals: number;
  count: number;
}

/** One account on which a user has an active grant. */
export interface GrantedAccountRow extends Omit<AccountCountRow, "count"> {
  user_id: string;
  account_id: string;
}

export interface Snapshot {
  standings: PermissionRow[];
  stock: AccountCountRow[];
  grants: GrantedAccountRow[];
}

/** The limit of rows for one snapshot; a preview that would need more is refused. */
export const MAX_PERMISSION_ROWS = 200_000;

export async function takeSnapshot(db: Db, parts: readonly PreviewScope[]): Promise<Snapshot> {
  const standings: PermissionRow[] = [];
  const grants: GrantedAccountRow[] = [];
  for (const part of parts) {
    standings.push(...(await standingsIn(db, part, MAX_PERMISSION_ROWS + 1 - standings.length)));
    grants.push(...(await grantsIn(db, part)));
  }
  const safes = [...new Set(standings.map(({ safe_id }) => safe_id))];
  return { standings, stock: await stockIn(db, safes), grants };
}

async function standingsIn(db: Db, { people, safes }: PreviewScope, limit: number): Promise<PermissionRow[]> {
  const there = safes === null ? sql`true` : sql`standing.safe_id = any(${[...safes]}::uuid[])`;
  const { rows } = await sql<PermissionRow>`
    select person.id as user_id, standing.safe_id, standing.permissions
    from users person cross join lateral ${effectivePermissionsOf(OUTER_USER)} standing
    where person.id = any(${[...people]}::uuid[]) and person.status = 'active' and ${there}
    limit ${limit}`.execute(db);
  return rows;
}

const KIND = sql`safes.id as safe_id, safes.status as safe_status, platforms.id as platform_id,
  accounts.status as account_status, platforms.approvals_level_1 + platforms.approvals_level_2 as approvals`;

async function grantsIn(db: Db, { people, safes }: PreviewScope): Promise<GrantedAccountRow[]> {
  const there = safes === null ? sql`true` : sql`safes.id = any(${[...safes]}::uuid[])`;
  const { rows } = await sql<GrantedAccountRow>`
    select person.id as user_id, active_grant.account_id, ${KIND}
    from users person cross join lateral ${activeGrants(OUTER_USER)} active_grant
    join credentials on credentials.id = active_grant.account_id and credentials.deleted_at is null
    join accounts on accounts.id = active_grant.account_id join platforms on platforms.id = accounts.platform_id
    join safes on safes.id = credentials.safe_id
    where person.id = any(${[...people]}::uuid[]) and person.status = 'active' and ${there}
      and exists (select from access_requests asked where asked.user_id = person.id and asked.state = 'granted')`.execute(
    db,
  );
  return rows;
}

async function stockIn(db: Db, safes: readonly string[]): Promise<AccountCountRow[]> {
  const { rows } = await sql<AccountCountRow>`
    select ${KIND}, count(*)::integer as count
    from credentials join accounts on accounts.id = credentials.id
    join platforms on platforms.id = accounts.platform_id join safes on safes.id = credentials.safe_id
    where credentials.safe_id = any(${[...safes]}::uuid[]) and credentials.deleted_at is null
    group by safes.id, platforms.id, accounts.status`.execute(db);
  return rows;
}

const idsOf = async (query: RawBuilder<{ id: string }>, db: Db): Promise<string[]> =>
  (await query.execute(db)).rows.map(({ id }) => id);

/** Every user who has permissions through this membership. */
export const peopleOfMembership = (db: Db, safeId: string, memberId: string): Promise<string[]> =>
  idsOf(
    sql`select coalesce(member.user_id, theirs.user_id) as id
        from safe_members member left join group_members theirs on theirs.group_id = member.group_id
        where member.id = ${memberId} and member.safe_id = ${safeId}
          and coalesce(member.user_id, theirs.user_id) is not null`,
    db,
  );

export const peopleOfGroup = (db: Db, groupId: string): Promise<string[]> =>
  idsOf(sql`select user_id as id from group_members where group_id = ${groupId}`, db);

/** The safes of these owners that others can see because they share a team or department with the owner. */
export const sharedSafesOf = (db: Db, owners: readonly string[]): Promise<string[]> =>
  idsOf(
    sql`select id from safes where owner_id = any(${[...owners]}::uuid[]) and deleted_at is null
        and access_level in ('team', 'department')`,
    db,
  );

export const safesOfGroup = (db: Db, groupId: string): Promise<string[]> =>
  idsOf(sql`select safe_id as id from safe_members where group_id = ${groupId}`, db);

/**
 * Users who may have permissions in this safe, now or with the new access level, or who have a grant on one of its
 * accounts.
 */
export const peopleOfSafe = (db: Db, safeId: string, level: AccessLevel | null): Promise<string[]> =>
  idsOf(
    sql`select person.id from users person cross join safes
        where safes.id = ${safeId} and person.status = 'active' and (
          person.role = 'admin'
          or 'public' in (safes.access_level, ${level}::text)
          or exists (
            select from group_members mine join group_members owners on owners.group_id = mine.group_id
            where mine.user_id = person.id and owners.user_id = safes.owner_id)
          or exists (
            select from safe_members member left join group_members theirs on theirs.group_id = member.group_id
            where member.safe_id = safes.id and person.id in (member.user_id, theirs.user_id))
          or exists (
            select from access_requests asked join credentials on credentials.id = asked.account_id
            where asked.user_id = person.id and asked.state = 'granted' and credentials.safe_id = safes.id))`,
    db,
  );

/** Null if the safe does not exist. */
export async function readSafeNames(db: Db, id: string): Promise<{ name: string; description: string | null } | null> {
  const found = db.selectFrom("safes").select(["name", "description"]).where("id", "=", id);
  return (await found.executeTakeFirst()) ?? null;
}

/** Gives both snapshots the same view of the database, and limits lock waits and long statements. */
export async function beginDryRun(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read`.execute(tx);
  await sql`select set_config('lock_timeout', '500ms', true), set_config('statement_timeout', '5s', true)`.execute(tx);
}

/** From here on the transaction holds locks that others may wait for. Only one of the remaining statements is long. */
export async function limitLockTime(tx: Tx): Promise<void> {
  await sql`select set_config('statement_timeout', '2s', true)`.execute(tx);
}

export async function readNames(db: Db, ids: readonly string[]): Promise<Map<string, { name: string; email: string }>> {
  const { rows } = await sql<{ id: string; name: string; email: string }>`
    select id, name, email from users where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, ...who }) => [id, who]));
}
