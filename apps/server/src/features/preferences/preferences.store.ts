// Reads and writes the `preferences` table.
import type { DashboardPreferences, NotificationPreferences, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

/** Written as JSON text. An older version may have written the row, so readers parse it. */
type Stored = ColumnType<unknown, string, string>;

interface PreferencesTable {
  user_id: UserId;
  dashboard: Stored | null;
  notifications: Stored | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    preferences: PreferencesTable;
  }
}

export interface Preferences {
  dashboard: DashboardPreferences;
  notifications: NotificationPreferences;
}

/** Undefined when the user has not set this part of the preferences. */
export async function findPreferences(db: Db, userId: UserId, part: keyof Preferences): Promise<unknown> {
  const row = await db.selectFrom("preferences").select(part).where("user_id", "=", userId).executeTakeFirst();
  return row?.[part] ?? undefined;
}

/** Returns only users who have set notification preferences, each with the stored value. */
export async function findNotificationsOf(db: Db, userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, unknown>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await sql<{ user_id: UserId; notifications: unknown }>`
    select user_id, notifications from preferences
    where user_id = any(${[...userIds]}::uuid[]) and notifications is not null`.execute(db);
  return new Map(rows.map((row) => [row.user_id, row.notifications]));
}

export async function deletePreferences(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom("preferences")
    .where("user_id", "=", userId as UserId)
    .execute();
}

export async function writePreferences<Part extends keyof Preferences>(
  tx: Tx,
  userId: UserId,
  part: Part,
  value: Preferences[Part],
): Promise<void> {
  const json = JSON.stringify(value);
  await tx
    .insertInto("preferences")
    .values({ user_id: userId, dashboard: null, notifications: null, [part]: json })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ [part]: json }))
    .execute();
}
