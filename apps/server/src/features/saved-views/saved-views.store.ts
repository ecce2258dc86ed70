// Saved views in the database, limited to the user's own and the shared ones.
import type { SavedViewId, UserId, ViewFilters, ViewList } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface SavedViewsTable {
  id: SavedViewId;
  user_id: UserId;
  list: ViewList;
  name: string;
  filters: ColumnType<ViewFilters, string, string>;
  is_shared: boolean;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    saved_views: SavedViewsTable;
  }
}

export type SavedViewRow = Selectable<SavedViewsTable>;

const MOST_SHARED = 200;

export async function findViews(db: Db, userId: UserId, list: ViewList): Promise<SavedViewRow[]> {
  const { rows } = await sql<SavedViewRow>`
    select * from (
      select * from saved_views where user_id = ${userId} and list = ${list}
      union all
      (select * from saved_views where is_shared and list = ${list} and user_id <> ${userId}
       order by created_at desc limit ${sql.lit(MOST_SHARED)})
    ) views order by lower(name), id`.execute(db);
  return rows;
}

const isVisibleTo = (userId: UserId) => sql<boolean>`(user_id = ${userId} or is_shared)`;

/** Null when the view does not exist, or belongs to another user and is not shared. */
export async function findView(db: Db, userId: UserId, id: SavedViewId): Promise<SavedViewRow | null> {
  const { rows } = await sql<SavedViewRow>`
    select * from saved_views where id = ${id} and ${isVisibleTo(userId)}`.execute(db);
  return rows[0] ?? null;
}

/** Like `findView`; the view cannot be deleted before the transaction ends. */
export async function keepView(tx: Tx, userId: UserId, id: SavedViewId): Promise<SavedViewRow | null> {
  const { rows } = await sql<SavedViewRow>`
    select * from saved_views where id = ${id} and ${isVisibleTo(userId)} for key share`.execute(tx);
  return rows[0] ?? null;
}

/** Locks the view. Null when it does not exist, or belongs to another user and is not shared. */
export async function lockView(tx: Tx, userId: UserId, id: SavedViewId): Promise<SavedViewRow | null> {
  const { rows } = await sql<SavedViewRow>`
    select * from saved_views where id = ${id} and ${isVisibleTo(userId)} for update`.execute(tx);
  return rows[0] ?? null;
}

/** Locks the user's row first, so that two calls cannot exceed the limit together. */
export async function countViews(tx: Tx, userId: UserId): Promise<number> {
  await sql`select from users where id = ${userId} for no key update`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from saved_views where user_id = ${userId}`.execute(tx);
  return rows[0]!.count;
}

export async function insertView(tx: Tx, row: SavedViewRow): Promise<void> {
  await tx
    .insertInto("saved_views")
    .values({ ...row, filters: JSON.stringify(row.filters) })
    .execute();
}

export async function deleteView(tx: Tx, id: SavedViewId): Promise<void> {
  await tx.deleteFrom("saved_views").where("id", "=", id).execute();
}
