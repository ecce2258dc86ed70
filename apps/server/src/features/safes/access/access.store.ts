// Lists who can use or retrieve the accounts of a safe now, through memberships and active grants, in one query.
import type { AccessPath } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import type { NamePlace, NamedRow } from "#kernel/http/cursor.ts";
import { bitOf } from "../safes.policy.ts";
import type { Permissions } from "../safes.policy.ts";

export interface AccessQuery {
  safeId: string;
  /** Limits the result to access to this account; null for the whole safe, with each grant as its own row. */
  accountId: string | null;
  limit: number;
  after: NamePlace | null;
}

export interface AccessRow extends NamedRow {
  user_id: string;
  name: string;
  email: string;
  account_id: string | null;
  paths: {
    kind: AccessPath["kind"];
    through: string;
    permissions: Permissions;
    expires_at: string | null;
    needs_approval: boolean;
  }[];
}

const USE_OR_RETRIEVE = sql.lit(bitOf("use") | bitOf("retrieve"));
const UNCONFIRMED = sql.lit(bitOf("access_without_confirmation"));
const ISO = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

/**
 * Returns users sorted by name, and one row more than `limit` when there is a next page. Returns none while the safe or
 * the account is not active. A grant does not count when its user can no longer see the safe, unless an administrator
 * gave it to a user outside the safe.
 */
export async function listAccess(db: Db, { safeId, accountId, limit, after }: AccessQuery): Promise<AccessRow[]> {
  const inForce = sql`(member.expires_at is null or member.expires_at > access_time())`;
  const { rows } = await sql<AccessRow>`
    with reached as materialized (
      select accounts.id, platforms.approvals_level_1 > 0 as asks
      from credentials
      join accounts on accounts.id = credentials.id and accounts.status = 'active'
      join platforms on platforms.id = accounts.platform_id
      join safes on safes.id = credentials.safe_id and safes.status = 'active'
      where credentials.safe_id = ${safeId} and credentials.deleted_at is null
        and (${accountId}::uuid is null or credentials.id = ${accountId}::uuid)
    ), members as materialized (
      select coalesce(member.user_id, theirs.user_id) as user_id, groups.name as group_name, member.role,
             member.permissions, member.expires_at, member.id
      from safe_members member
      join safes on safes.id = member.safe_id and safes.status = 'active' and safes.deleted_at is null
      left join groups on groups.id = member.group_id
      left join group_members theirs on theirs.group_id = member.group_id
      where member.safe_id = ${safeId} and ${inForce} and (${accountId}::uuid is null or exists (select from reached))
    ), paths as (
      select user_id, null::uuid as account_id, case when group_name is null then 'member' else 'group' end as kind,
             coalesce(group_name, role) as through, permissions, expires_at, id,
             coalesce((select bool_and(asks) from reached), false) and not exists (
               select from members other
               where other.user_id = members.user_id and other.permissions & ${UNCONFIRMED} <> 0
             ) as needs_approval
      from members where permissions & ${USE_OR_RETRIEVE} <> 0
      union all
      select active_grant.user_id, case when ${accountId}::uuid is null then active_grant.account_id end,
             case when active_grant.is_break_glass then 'break-glass' else 'grant' end, active_grant.reason, ${USE_OR_RETRIEVE},
             active_grant.ends_at, active_grant.id, false
      from reached join access_requests active_grant on active_grant.account_id = reached.id
      join users person on person.id = active_grant.user_id join safes on safes.id = ${safeId}
      where active_grant.state = 'granted' and active_grant.starts_at <= access_time() and active_grant.ends_at > access_time()
        and (active_grant.is_mapped or person.role = 'admin' or safes.access_level = 'public'
          or exists (select from members where members.user_id = person.id)
          or exists (
            select from groups join group_members theirs on theirs.group_id = groups.id and theirs.user_id = person.id
            join group_members owners on owners.group_id = groups.id and owners.user_id = safes.owner_id
            where groups.kind = safes.access_level))
    )
    select * from (
      select person.id as user_id, person.name, person.email, paths.account_id,
             lower(person.name) || ' ' || person.id as sort,
             coalesce(paths.account_id, '00000000-0000-0000-0000-000000000000') as id,
             jsonb_agg(jsonb_build_object(
               'kind', paths.kind, 'through', paths.through, 'permissions', paths.permissions,
               'needs_approval', paths.needs_approval,
               'expires_at', to_char(paths.expires_at at time zone 'UTC', ${ISO})
             ) order by paths.kind, paths.through, paths.id) as paths
      from paths join users person on person.id = paths.user_id and person.status = 'active'
      group by person.id, paths.account_id
    ) people
    where ${after === null ? sql`true` : sql`(sort, id) > (${after.name}, ${after.id}::uuid)`}
    order by sort, id limit ${limit + 1}`.execute(db);
  return rows;
}
