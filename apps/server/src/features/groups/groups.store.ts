// Groups and their members in the database.
import { everyWord } from "#kernel/db/containing.ts";
import type { GroupKind } from "@strongroom/contract";
import { sql } from "kysely";
import type { Insertable, RawBuilder, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NamePlace, NamedRow } from "#kernel/http/cursor.ts";

export interface GroupsTable {
  id: string;
  name: string;
  description: string | null;
  kind: GroupKind;
  may_break_glass: boolean;
  created_at: Date;
}

interface GroupMembersTable {
  group_id: string;
  user_id: string;
  added_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    groups: GroupsTable;
    group_members: GroupMembersTable;
  }
}

export interface ShownGroup extends Selectable<GroupsTable>, NamedRow {
  member_count: number;
}

const shown = (condition: RawBuilder<unknown>): RawBuilder<ShownGroup> => sql<ShownGroup>`
  select groups.*, lower(groups.name) as sort,
         (select count(*)::integer from group_members where group_id = groups.id) as member_count
  from groups where ${condition}`;

/** Sorted by name. Returns one row more than `limit` when there is a next page. */
export async function listGroups(db: Db, search: string, limit: number, after: NamePlace | null) {
  const position = after === null ? sql`true` : sql`(lower(groups.name), id) > (${after.name}, ${after.id}::uuid)`;
  const found = everyWord(
    search,
    (pattern) => sql`(groups.name ilike ${pattern} or groups.description ilike ${pattern})`,
  );
  const page = sql<ShownGroup>`${shown(sql`${found} and ${position}`)} order by sort, id limit ${limit + 1}`;
  return (await page.execute(db)).rows;
}

export async function readGroup(db: Db, id: string): Promise<ShownGroup | null> {
  return (await shown(sql`groups.id = ${id}`).execute(db)).rows[0] ?? null;
}

export const readGroups = async (db: Db, ids: readonly string[]): Promise<ShownGroup[]> =>
  (await shown(sql`groups.id = any(${[...ids]}::uuid[])`).execute(db)).rows;

/**
 * Locks the group until the transaction ends, so that no user can join it or add it to a safe in the meantime. Null if it
 * does not exist.
 */
export async function lockGroup(tx: Tx, id: string): Promise<ShownGroup | null> {
  await sql`select from groups where id = ${id} for update`.execute(tx);
  return readGroup(tx, id);
}

/** Returns false, having changed nothing, when another group has the name. */
export async function insertGroup(tx: Tx, row: Insertable<GroupsTable>): Promise<boolean> {
  const insert = tx.insertInto("groups").values(row);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** Returns false when another group has the name. The transaction is then aborted and can no longer be used. */
export async function updateGroup(
  tx: Tx,
  id: string,
  changes: Omit<GroupsTable, "id" | "created_at">,
): Promise<boolean> {
  try {
    await tx.updateTable("groups").set(changes).where("id", "=", id).execute();
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return false;
    throw error;
  }
}

const UNIQUE_VIOLATION = "23505";

/** Also deletes the group's safe memberships and the memberships of its users. */
export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("groups").where("id", "=", id).execute();
}

/** The safes the group is a member of. */
export async function safesOf(db: Db, id: string): Promise<string[]> {
  const { rows } = await sql<{ safe_id: string }>`
    select safe_id from safe_members member join safes on safes.id = safe_id and deleted_at is null
    where group_id = ${id} order by safe_id`.execute(db);
  return rows.map((row) => row.safe_id);
}

export async function peopleIn(db: Db, id: string): Promise<string[]> {
  const rows = await db.selectFrom("group_members").select("user_id").where("group_id", "=", id).execute();
  return rows.map((row) => row.user_id);
}

export interface PersonInGroup extends NamedRow {
  name: string;
  email: string;
  added_at: Date;
}

const people = (groupId: string, condition: RawBuilder<unknown>): RawBuilder<PersonInGroup> => sql<PersonInGroup>`
  select person.id, person.name, lower(person.name) as sort, person.email, member.added_at
  from group_members member join users person on person.id = member.user_id
  where member.group_id = ${groupId} and ${condition}`;

/** Sorted by name. Returns one row more than `limit` when there is a next page. */
export async function listPeople(db: Db, groupId: string, limit: number, after: NamePlace | null) {
  const position =
    after === null ? sql`true` : sql`(lower(person.name), person.id) > (${after.name}, ${after.id}::uuid)`;
  const page = sql<PersonInGroup>`${people(groupId, position)} order by sort, id limit ${limit + 1}`;
  return (await page.execute(db)).rows;
}

/** Null when this user is not in the group. */
export async function readPerson(db: Db, groupId: string, userId: string): Promise<PersonInGroup | null> {
  return (await people(groupId, sql`person.id = ${userId}`).execute(db)).rows[0] ?? null;
}

/** Returns false, having changed nothing, when the user is already in the group. */
export async function insertPerson(tx: Tx, row: GroupMembersTable): Promise<boolean> {
  const insert = tx.insertInto("group_members").values(row);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function deletePerson(tx: Tx, groupId: string, userId: string): Promise<void> {
  await tx.deleteFrom("group_members").where("group_id", "=", groupId).where("user_id", "=", userId).execute();
}

/** Removes a deleted user from every group. */
export async function removePersonFromGroups(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("group_members").where("user_id", "=", userId).execute();
}
