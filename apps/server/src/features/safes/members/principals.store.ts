// Searches users and groups in the database that could become members.
import { containing } from "#kernel/db/containing.ts";
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { bitOf, effectivePermissionsOf } from "../safes.policy.ts";

const MOST = 20;

export interface PrincipalRow {
  user_id: string | null;
  group_id: string | null;
  name: string;
  email: string | null;
}

export async function managesSomeMembers(db: Db, actor: Actor): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from ${effectivePermissionsOf(actor)} standing
      where standing.permissions & ${sql.lit(bitOf("manage_members"))} <> 0
    ) as found`.execute(db);
  return rows[0]!.found;
}

/**
 * Groups and active users with this text in their name, or in their address if `byAddress`; sorted by name, at most 20.
 */
export async function findPrincipals(db: Db, search: string, byAddress: boolean): Promise<PrincipalRow[]> {
  const pattern = containing(search);
  const { rows } = await sql<PrincipalRow>`
    select user_id, group_id, name, email from (
      select null::uuid as user_id, id as group_id, name, null as email from groups where name ilike ${pattern}
      union all
      select id, null, name, email from users
      where status = 'active' and (name ilike ${pattern} or (${byAddress} and email ilike ${pattern}))
    ) found
    order by lower(name), email nulls first, coalesce(user_id, group_id)
    limit ${sql.lit(MOST)}`.execute(db);
  return rows;
}

/** Returns the active user with exactly this address, and the groups of `userId` with the text in their name. */
export async function findKnown(db: Db, userId: string, search: string): Promise<PrincipalRow[]> {
  const { rows } = await sql<PrincipalRow>`
    select user_id, group_id, name, email from (
      select null::uuid as user_id, groups.id as group_id, groups.name, null as email
      from groups join group_members mine on mine.group_id = groups.id and mine.user_id = ${userId}
      where groups.name ilike ${containing(search)}
      union all
      select id, null, name, email from users where status = 'active' and lower(email) = lower(${search})
    ) found
    order by lower(name), coalesce(user_id, group_id) limit ${sql.lit(MOST)}`.execute(db);
  return rows;
}
