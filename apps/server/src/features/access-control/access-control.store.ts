// Access overviews in the database: users and safes, limited to the safes that the caller manages or audits.
import type { AccessLevel, GroupKind, Role, SafeRole, SafeStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { containing } from "#kernel/db/containing.ts";
import type { Db } from "#kernel/db/database.ts";
import type { NamePlace, NamedRow } from "#kernel/http/cursor.ts";
import { activeGrants } from "#features/access-requests/index.ts";
import { permissionGrantsFor, seesEverySafe, effectivePermissionsOf, whileStatus } from "#features/safes/index.ts";
import type { Permissions, PrincipalRef } from "#features/safes/index.ts";
import type { Asker } from "#kernel/authz/actor.ts";
import { SAFE_INSIGHT_PERMISSIONS } from "./access-control.policy.ts";
import type { GrantedAccount, AccountCounts } from "./access-control.policy.ts";

type Sql = RawBuilder<unknown>;
export type Viewer = Asker;

/** The user of each row of an enclosing query over `users person`. */
export const OUTER_USER: PrincipalRef = { id: sql`person.id`, role: sql`person.role` };

/** The safes whose members and accounts the caller may see. */
const scopeOf = (viewer: Viewer): Sql =>
  sql`select safe_id from ${effectivePermissionsOf(viewer)} standing where standing.permissions & ${sql.lit(SAFE_INSIGHT_PERMISSIONS)} <> 0`;

const memberInForce = sql`(member.expires_at is null or member.expires_at > access_time())`;

/** Counts the accounts of each of these safes by status and approvals. */
const stockOf = (safes: Sql): Sql => sql`
  select credentials.safe_id,
    (count(*) filter (where accounts.status = 'active' and platforms.approvals_level_1 = 0))::integer as free,
    (count(*) filter (where accounts.status = 'active' and platforms.approvals_level_1 > 0))::integer as asking,
    (count(*) filter (where accounts.status <> 'active'))::integer as idle
  from credentials join accounts on accounts.id = credentials.id join platforms on platforms.id = accounts.platform_id
  where credentials.safe_id in (${safes}) and credentials.deleted_at is null
  group by credentials.safe_id`;

export interface PersonRow extends NamedRow {
  name: string;
  email: string;
  role: Role;
  kind: "person" | "machine";
  status: "active" | "disabled";
  groups: number;
  may_break_glass: boolean;
}

export interface PeopleQuery {
  limit: number;
  after: NamePlace | null;
  search: string | null;
  role: Role | null;
  /** Limits the result to this user; null means all users. */
  id: string | null;
}

/** Users with a membership or grant in the scope. For an administrator every user is in scope. */
const isInScope = (viewer: Viewer): Sql =>
  seesEverySafe(viewer)
    ? sql`true`
    : sql`(
      exists (select from safe_members member where member.user_id = person.id
        and ${memberInForce} and member.safe_id in (select safe_id from scope))
      or exists (select from group_members mine join safe_members member on member.group_id = mine.group_id
        where mine.user_id = person.id and ${memberInForce} and member.safe_id in (select safe_id from scope))
      or exists (select from ${activeGrants(OUTER_USER)} granted join credentials on credentials.id = granted.account_id
        where credentials.safe_id in (select safe_id from scope)))`;

/** Sorted by name. Returns one row more than `limit` when there is a next page. */
export async function listPeople(db: Db, viewer: Viewer, query: PeopleQuery): Promise<PersonRow[]> {
  const { limit, after, search, role, id } = query;
  const pattern = containing(search ?? "");
  const conditions = [
    sql`person.status in ('active', 'disabled')`,
    ...(after === null ? [] : [sql`(lower(person.name), person.id) > (${after.name}, ${after.id}::uuid)`]),
    ...(search === null ? [] : [sql`(person.name ilike ${pattern} or person.email ilike ${pattern})`]),
    ...(role === null ? [] : [sql`person.role = ${role}`]),
    ...(id === null ? [] : [sql`person.id = ${id}::uuid`]),
    isInScope(viewer),
  ];
  const { rows } = await sql<PersonRow>`
    with scope as materialized (${scopeOf(viewer)})
    select page.*, counted.groups, counted.may_break_glass
    from (
      select person.id, person.name, person.email, person.role, person.kind, person.status, lower(person.name) as sort
      from users person where ${sql.join(conditions, sql` and `)}
      order by lower(person.name), person.id limit ${limit + 1}
    ) page cross join lateral (
      select count(*)::integer as groups, coalesce(bool_or(groups.may_break_glass), false) as may_break_glass
      from group_members mine join groups on groups.id = mine.group_id where mine.user_id = page.id
    ) counted
    order by page.sort, page.id`.execute(db);
  return rows;
}

export interface PermissionBucket extends AccountCounts {
  user_id: string;
  permissions: Permissions;
  safe_status: SafeStatus;
  safes: number;
}

/**
 * The permissions of these users in the safes of the scope. Safes with the same permissions and status share one row.
 */
export async function permissionBucketsOf(db: Db, viewer: Viewer, ids: readonly string[]): Promise<PermissionBucket[]> {
  const { rows } = await sql<PermissionBucket>`
    with scope as materialized (${scopeOf(viewer)}), standing as materialized (
      select person.id as user_id, standing.safe_id, standing.permissions
      from users person cross join lateral ${effectivePermissionsOf(OUTER_USER)} standing
      where person.id = any(${[...ids]}::uuid[]) and person.status = 'active'
        and standing.safe_id in (select safe_id from scope)
    ), stock as materialized (${stockOf(sql`select safe_id from standing`)})
    select standing.user_id, standing.permissions, safes.status as safe_status, count(*)::integer as safes,
      coalesce(sum(stock.free), 0)::integer as free, coalesce(sum(stock.asking), 0)::integer as asking,
      coalesce(sum(stock.idle), 0)::integer as idle
    from standing join safes on safes.id = standing.safe_id left join stock on stock.safe_id = standing.safe_id
    group by standing.user_id, standing.permissions, safes.status`.execute(db);
  return rows;
}

export interface GrantRow extends GrantedAccount {
  user_id: string;
  safe_id: string;
}

/** The active grants of these users in the scope. */
export async function grantsOfPeople(db: Db, viewer: Viewer, ids: readonly string[]): Promise<GrantRow[]> {
  const { rows } = await sql<GrantRow>`
    with scope as materialized (${scopeOf(viewer)})
    select person.id as user_id, safes.id as safe_id, coalesce(standing.permissions, 0) as permissions,
      safes.status as safe_status, accounts.status as account_status, platforms.approvals_level_1 as approvals
    from users person cross join lateral ${activeGrants(OUTER_USER)} granted
    join credentials on credentials.id = granted.account_id and credentials.deleted_at is null
    join accounts on accounts.id = granted.account_id join platforms on platforms.id = accounts.platform_id
    join safes on safes.id = credentials.safe_id and safes.id in (select safe_id from scope)
    left join lateral ${effectivePermissionsOf(OUTER_USER)} standing on standing.safe_id = safes.id
    where person.id = any(${[...ids]}::uuid[]) and person.status = 'active'`.execute(db);
  return rows;
}

export interface GroupRow {
  group_id: string;
  name: string;
  kind: GroupKind;
  may_break_glass: boolean;
}

/** Sorted by name; at most 100. */
export async function groupsOf(db: Db, userId: string): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow>`
    select groups.id as group_id, groups.name, groups.kind, groups.may_break_glass
    from group_members mine join groups on groups.id = mine.group_id
    where mine.user_id = ${userId} order by lower(groups.name), groups.id limit 100`.execute(db);
  return rows;
}

export interface PersonSafeRow extends NamedRow, AccountCounts {
  name: string;
  status: SafeStatus;
  access_level: AccessLevel;
  permissions: Permissions;
  paths: {
    kind: "member" | "group" | "access-level" | "role";
    group_name: string | null;
    safe_role: SafeRole | null;
    permissions: Permissions;
    expires_at: string | null;
  }[];
  granted: GrantedAccount[];
}

const ISO = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

/**
 * The safes of the scope in which this user has any access now. Sorted by name; one row more than `limit` when there is
 * a next page.
 */
export async function listSafesOf(
  db: Db,
  viewer: Viewer,
  person: PrincipalRef,
  { limit, after, search }: Pick<PeopleQuery, "limit" | "after" | "search">,
): Promise<PersonSafeRow[]> {
  const place = after === null ? sql`true` : sql`(lower(safes.name), safes.id) > (${after.name}, ${after.id}::uuid)`;
  const { rows } = await sql<PersonSafeRow>`
    with scope as materialized (${scopeOf(viewer)}),
    standing as materialized (select safe_id, permissions from ${effectivePermissionsOf(person)} standing),
    granted as materialized (
      select credentials.safe_id, accounts.status as account_status, platforms.approvals_level_1 as approvals
      from ${activeGrants(person)} granted
      join credentials on credentials.id = granted.account_id and credentials.deleted_at is null
      join accounts on accounts.id = granted.account_id join platforms on platforms.id = accounts.platform_id
    ), page as materialized (
      select safes.id, safes.name, lower(safes.name) as sort, safes.status, safes.access_level,
        coalesce(standing.permissions, 0) as permissions
      from safes left join standing on standing.safe_id = safes.id
      where safes.id in (select safe_id from scope) and safes.deleted_at is null and ${place}
        and safes.name ilike ${containing(search ?? "")}
        and (standing.safe_id is not null or safes.id in (select safe_id from granted))
      order by lower(safes.name), safes.id limit ${limit + 1}
    ), stock as materialized (${stockOf(sql`select id from page`)})
    select page.*, coalesce(stock.free, 0) as free, coalesce(stock.asking, 0) as asking, coalesce(stock.idle, 0) as idle,
      (select coalesce(jsonb_agg(jsonb_build_object(
         'kind', given.kind, 'group_name', groups.name, 'safe_role', member.role,
         'permissions', given.permissions & ${whileStatus},
         'expires_at', to_char(given.expires_at at time zone 'UTC', ${ISO})
       ) order by given.kind, lower(groups.name), given.member_id), '[]')
       from ${permissionGrantsFor(person)} join safes on safes.id = given.safe_id
       left join groups on groups.id = given.group_id left join safe_members member on member.id = given.member_id
       where given.safe_id = page.id) as paths,
      (select coalesce(jsonb_agg(jsonb_build_object('permissions', page.permissions, 'safe_status', page.status,
         'account_status', granted.account_status, 'approvals', granted.approvals)), '[]')
       from granted where granted.safe_id = page.id) as granted
    from page left join stock on stock.safe_id = page.id
    order by page.sort, page.id`.execute(db);
  return rows;
}

export interface AccessSafeRow extends NamedRow {
  name: string;
  status: SafeStatus;
  access_level: AccessLevel;
  owner_name: string;
  people: number;
  accounts: number;
  grants: number;
  reviewed_at: Date | null;
}

/** Sorted by name. Returns one row more than `limit` when there is a next page. */
export async function listVisibleSafes(
  db: Db,
  viewer: Viewer,
  { limit, after, search }: Pick<PeopleQuery, "limit" | "after" | "search">,
): Promise<AccessSafeRow[]> {
  const place = after === null ? sql`true` : sql`(lower(safes.name), safes.id) > (${after.name}, ${after.id}::uuid)`;
  const { rows } = await sql<AccessSafeRow>`
    with scope as materialized (${scopeOf(viewer)}), page as materialized (
      select safes.id, safes.name, lower(safes.name) as sort, safes.status, safes.access_level, safes.owner_id
      from safes where safes.id in (select safe_id from scope) and safes.deleted_at is null and ${place}
        and safes.name ilike ${containing(search ?? "")}
      order by lower(safes.name), safes.id limit ${limit + 1}
    )
    select page.*, owner.name as owner_name,
      (select count(distinct coalesce(member.user_id, theirs.user_id))::integer
       from safe_members member left join group_members theirs on theirs.group_id = member.group_id
       where member.safe_id = page.id and ${memberInForce}) as people,
      (select count(*)::integer from credentials where safe_id = page.id and deleted_at is null) as accounts,
      (select count(*)::integer from users person cross join lateral ${activeGrants(OUTER_USER)} granted
       join credentials on credentials.id = granted.account_id and credentials.safe_id = page.id
       where person.status = 'active' and person.id in (
         select granted.user_id from access_requests granted
         where granted.state = 'granted' and granted.account_id in (select id from credentials where safe_id = page.id))
      ) as grants,
      (select max(review.closed_at) from access_reviews review
       where review.id in (select review_id from access_review_items item where item.safe_id = page.id)) as reviewed_at
    from page join users owner on owner.id = page.owner_id
    order by page.sort, page.id`.execute(db);
  return rows;
}

/** Returns whether the caller may see the members and accounts of this safe. */
export async function canSeeInside(db: Db, viewer: Viewer, safeId: string): Promise<boolean> {
  const { rows } = await sql`
    select from (${scopeOf(viewer)} and standing.safe_id = ${safeId}) scope`.execute(db);
  return rows.length > 0;
}
