// Database queries for notifications; each belongs to one user.
import { MOST_NOTIFICATIONS } from "@strongroom/contract";
import type { NotificationType, Severity } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, JSONColumnType, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NoticeAudience } from "./notices.store.ts";
import type { Subjects } from "./notifications.policy.ts";

interface NotificationsTable {
  id: string;
  user_id: string;
  type: NotificationType;
  severity: Severity;
  title: string;
  message: string;
  action_required: boolean;
  metadata: JSONColumnType<Record<string, unknown>>;
  link: string | null;
  key: string | null;
  subjects: ColumnType<Subjects | null, string | null, string | null>;
  read_at: Date | null;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    notifications: NotificationsTable;
  }
}

export type NotificationRow = Selectable<NotificationsTable>;

/** All notifications kept for the user, newest first. */
export async function listOf(db: Db, userId: string): Promise<NotificationRow[]> {
  const own = db.selectFrom("notifications").selectAll().where("user_id", "=", userId);
  return await own.orderBy("created_at", "desc").orderBy("id", "desc").limit(MOST_NOTIFICATIONS).execute();
}

export async function findOne(db: Db, id: string): Promise<NotificationRow | null> {
  return (await db.selectFrom("notifications").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** Null if the user does not have this notification. */
export async function markRead(tx: Tx, userId: string, id: string, at: Date): Promise<NotificationRow | null> {
  const own = tx.updateTable("notifications").where("id", "=", id).where("user_id", "=", userId);
  const row = await own
    .set({ read_at: sql<Date>`coalesce(read_at, ${at})` })
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function markAllRead(tx: Tx, userId: string, at: Date): Promise<number> {
  const unread = tx.selectFrom("notifications").select("id").where("user_id", "=", userId).where("read_at", "is", null);
  const held = tx.updateTable("notifications").where("id", "in", unread.orderBy("id").forUpdate());
  return Number((await held.set({ read_at: at }).executeTakeFirst()).numUpdatedRows);
}

/** Deletes one or all of a user's notifications; returns how many were deleted. */
export async function remove(tx: Tx, userId: string, id?: string): Promise<number> {
  const all = tx.selectFrom("notifications").select("id").where("user_id", "=", userId);
  const own = (id === undefined ? all : all.where("id", "=", id)).orderBy("id").forUpdate();
  const removed = await tx.deleteFrom("notifications").where("id", "in", own).executeTakeFirst();
  return Number(removed.numDeletedRows);
}

/** The users of the audience who can receive notifications: active or pending users by id, and active users by role. */
export async function findRecipients(db: Db, { users, roles = [] }: NoticeAudience): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users
    where kind = 'person' and (status in ('active', 'pending') and id = any(${[...users]}::uuid[])
      or status = 'active' and role = any(${[...roles]}::text[]))`.execute(db);
  return rows.map(({ id }) => id);
}

/** The users' unread notifications with this key, by user. */
export async function findUnread(
  db: Db,
  userIds: readonly string[],
  key: string,
): Promise<ReadonlyMap<string, NotificationRow>> {
  const { rows } = await sql<NotificationRow>`
    select * from notifications
    where user_id = any(${[...userIds]}::uuid[]) and key = ${key} and read_at is null`.execute(db);
  return new Map(rows.map((row) => [row.user_id, row]));
}

const AT_ONCE = 1_000;

/**
 * Inserts notifications; each replaces the user's unread notification with the same key. Returns those that replaced
 * none.
 */
export async function putNotifications(tx: Tx, rows: readonly NotificationRow[]): Promise<NotificationRow[]> {
  const added = new Set<string>();
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE).map(({ metadata, subjects, ...row }) => ({
      ...row,
      metadata: JSON.stringify(metadata),
      subjects: subjects === null ? null : JSON.stringify(subjects),
    }));
    const put = await tx
      .insertInto("notifications")
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(["user_id", "key"])
          .where("key", "is not", null)
          .where("read_at", "is", null)
          .doUpdateSet(({ ref }) => ({
            type: ref("excluded.type"),
            severity: ref("excluded.severity"),
            title: ref("excluded.title"),
            message: ref("excluded.message"),
            action_required: ref("excluded.action_required"),
            metadata: ref("excluded.metadata"),
            link: ref("excluded.link"),
            subjects: ref("excluded.subjects"),
            created_at: ref("excluded.created_at"),
          })),
      )
      .returning("id")
      .execute();
    for (const { id } of put) added.add(id);
  }
  return rows.filter(({ id }) => added.has(id));
}

/**
 * Marks these users' notifications with this key as read and sets the result as their message. Returns the users whose
 * notifications changed.
 */
export async function settleNotifications(
  tx: Tx,
  userIds: readonly string[],
  key: string,
  { message, created_at: at }: { message: string; created_at: Date },
): Promise<string[]> {
  const open = tx.selectFrom("notifications").select("id").where("user_id", "in", userIds).where("key", "=", key);
  const waiting = open.where("action_required", "=", true).orderBy("id").forUpdate();
  const settled = await tx
    .updateTable("notifications")
    .where("id", "in", waiting)
    .set({ action_required: false, message, read_at: sql<Date>`coalesce(read_at, ${at})` })
    .returning("user_id")
    .execute();
  return settled.map(({ user_id }) => user_id);
}

/** NOTIF-11: deletes each user's oldest notifications above the limit. */
export async function keepNewest(tx: Tx, userIds: readonly string[]): Promise<void> {
  await sql`
    delete from notifications where id in (
      select id from notifications where id in (
        select old.id from unnest(${[...userIds]}::uuid[]) as person (id)
        cross join lateral (
          select id from notifications where user_id = person.id
          order by created_at desc, id desc offset ${MOST_NOTIFICATIONS}
        ) old)
      order by id for update)`.execute(tx);
}
