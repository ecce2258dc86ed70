// The members of safes in the database: users and groups, their permissions and expiry.
import type { SafeRole } from "@strongroom/contract";
import { sql } from "kysely";
import type { Insertable, RawBuilder, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NamePlace, NamedRow } from "#kernel/http/cursor.ts";
import type { Permissions } from "../safes.policy.ts";

export interface SafeMembersTable {
  id: string;
  safe_id: string;
  user_id: string | null;
  group_id: string | null;
  role: SafeRole;
  permissions: Permissions;
  expires_at: Date | null;
  added_at: Date;
  added_by: string | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    safe_members: SafeMembersTable;
  }
}

export type MemberRow = Selectable<SafeMembersTable>;

export interface ShownMember extends MemberRow, NamedRow {
  name: string;
  email: string | null;
  people: number | null;
  is_expired: boolean;
  added_by_name: string | null;
}

const shown = (safeId: string, condition: RawBuilder<unknown>): RawBuilder<ShownMember> => sql<ShownMember>`
  select member.*, coalesce(person.name, groups.name) as name, lower(coalesce(person.name, groups.name)) as sort,
         person.email, coalesce(member.expires_at <= access_time(), false) as is_expired, giver.name as added_by_name,
         case when groups.id is not null then
           (select count(*)::integer from group_members theirs where theirs.group_id = groups.id) end as people
  from safe_members member
  left join users person on person.id = member.user_id
  left join groups on groups.id = member.group_id
  left join users giver on giver.id = member.added_by
  where member.safe_id = ${safeId} and ${condition}`;

/** Returns members sorted by name, and one row more than `limit` when there is a next page. */
export async function listMembers(db: Db, safeId: string, limit: number, after: NamePlace | null) {
  const position =
    after === null
      ? sql`true`
      : sql`(lower(coalesce(person.name, groups.name)), member.id) > (${after.name}, ${after.id}::uuid)`;
  return (await sql<ShownMember>`${shown(safeId, position)} order by sort, id limit ${limit + 1}`.execute(db)).rows;
}

/** Returns null when the safe has no such member. */
export async function readMember(db: Db, safeId: string, id: string): Promise<ShownMember | null> {
  return (await shown(safeId, sql`member.id = ${id}`).execute(db)).rows[0] ?? null;
}

/** Returns false, having changed nothing, when that user or group is already a member. */
export async function insertMember(tx: Tx, row: Insertable<SafeMembersTable>): Promise<boolean> {
  const inserted = tx.insertInto("safe_members").values(row);
  const result = await inserted.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function updateMember(
  tx: Tx,
  id: string,
  changes: Pick<MemberRow, "role" | "permissions" | "expires_at">,
): Promise<void> {
  await tx.updateTable("safe_members").set(changes).where("id", "=", id).execute();
}

/** Inserts the membership and replaces any direct membership the user had in the safe. */
export async function replaceMember(tx: Tx, row: Insertable<SafeMembersTable> & { user_id: string }): Promise<void> {
  const own = tx.deleteFrom("safe_members").where("safe_id", "=", row.safe_id).where("user_id", "=", row.user_id);
  await own.execute();
  await tx.insertInto("safe_members").values(row).execute();
}

export async function deleteMember(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("safe_members").where("id", "=", id).execute();
}

/** Every user who is a member through this membership: one user, or the members of a group. */
export async function peopleOf(db: Db, { user_id, group_id }: Pick<MemberRow, "user_id" | "group_id">) {
  if (user_id !== null) return [user_id];
  const { rows } = await sql<{ user_id: string }>`
    select user_id from group_members where group_id = ${group_id}`.execute(db);
  return rows.map((row) => row.user_id);
}

/** A user's memberships of one safe, direct and through groups, including expired ones. */
export async function membershipsOf(db: Db, safeId: string, userId: string) {
  const { rows } = await sql<{ permissions: Permissions; expiresAt: Date | null }>`
    select permissions, expires_at as "expiresAt" from safe_members
    where safe_id = ${safeId} and (
      user_id = ${userId} or group_id in (select group_id from group_members where user_id = ${userId}))`.execute(db);
  return rows;
}

/** Active users with an unexpired membership of this safe, direct or through a group, that has all of `bits`. */
export async function membersWith(db: Db, safeId: string, bits: Permissions): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct person.id
    from safe_members member
    left join group_members theirs on theirs.group_id = member.group_id
    join users person on person.id = coalesce(member.user_id, theirs.user_id) and person.status = 'active'
    where member.safe_id = ${safeId} and member.permissions & ${sql.lit(bits)} = ${sql.lit(bits)}
      and (member.expires_at is null or member.expires_at > access_time())`.execute(db);
  return rows.map((row) => row.id);
}

export interface PersonWithAccess {
  id: string;
  name: string;
  email: string;
  permissions: Permissions;
}

/**
 * Active users whose unexpired memberships of this safe, direct or through groups, have any of `bits`; sorted by name.
 */
export async function peopleWithPermissions(db: Db, safeId: string, bits: Permissions): Promise<PersonWithAccess[]> {
  const { rows } = await sql<PersonWithAccess>`
    select person.id, person.name, person.email, bit_or(member.permissions) & ${sql.lit(bits)} as permissions
    from safe_members member
    left join group_members theirs on theirs.group_id = member.group_id
    join users person on person.id = coalesce(member.user_id, theirs.user_id) and person.status = 'active'
    where member.safe_id = ${safeId} and member.permissions & ${sql.lit(bits)} <> 0
      and (member.expires_at is null or member.expires_at > access_time())
    group by person.id order by lower(person.name), person.id`.execute(db);
  return rows;
}

/** Whether this user added themselves to the safe by a direct membership. */
export async function joinedByOwnAct(db: Db, safeId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select from safe_members where safe_id = ${safeId} and user_id = ${userId} and added_by = ${userId}
      and (expires_at is null or expires_at > access_time())`.execute(db);
  return rows.length > 0;
}

/** The name of an active user or of a group; null when it does not exist. */
export async function nameOfPrincipal(
  db: Db,
  { user_id, group_id }: { user_id?: string | undefined; group_id?: string | undefined },
): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select name from users where id = ${user_id ?? null}::uuid and status = 'active'
    union all
    select name from groups where id = ${group_id ?? null}::uuid`.execute(db);
  return rows[0]?.name ?? null;
}

/** Returns those of these users who still have an unexpired membership of this safe. */
export async function stillMembers(db: Db, safeId: string, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct coalesce(member.user_id, theirs.user_id) as id
    from safe_members member
    left join group_members theirs on theirs.group_id = member.group_id
    where member.safe_id = ${safeId} and (member.expires_at is null or member.expires_at > access_time())
      and coalesce(member.user_id, theirs.user_id) = any(${userIds}::uuid[])`.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the safes of which this user is a direct member, in the order in which safes are locked. */
export async function safesOfMember(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("safe_members")
    .innerJoin("safes", "safes.id", "safe_members.safe_id")
    .select("safe_members.safe_id")
    .where("safe_members.user_id", "=", userId)
    .where("safes.deleted_at", "is", null)
    .orderBy("safe_members.safe_id")
    .execute();
  return rows.map((row) => row.safe_id);
}

export async function countOwned(db: Db, userId: string): Promise<number> {
  const owned = db.selectFrom("safes").where("owner_id", "=", userId).where("deleted_at", "is", null);
  return (await owned.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
}

export async function deleteMemberships(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("safe_members").where("user_id", "=", userId).execute();
}
