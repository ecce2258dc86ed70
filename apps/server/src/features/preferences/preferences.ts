// Reads and changes a user's preferences and fills in the contract's defaults.
import { DashboardPreferences, NotificationPreferences } from "@strongroom/contract";
import type { UserId } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { findNotificationsOf, findPreferences, writePreferences } from "./preferences.store.ts";
import type { Preferences } from "./preferences.store.ts";

const schemas = { dashboard: DashboardPreferences, notifications: NotificationPreferences };

/** Stored values that this version cannot parse are treated as unset. */
export async function readPreferences<Part extends keyof Preferences>(
  db: Db,
  userId: UserId,
  part: Part,
): Promise<Preferences[Part]> {
  return completed(part, await findPreferences(db, userId, part));
}

function completed<Part extends keyof Preferences>(part: Part, stored: unknown): Preferences[Part] {
  const parsed = schemas[part].safeParse(stored ?? {});
  return (parsed.success ? parsed.data : schemas[part].parse({})) as Preferences[Part];
}

/** Reads the notification preferences of many users in one query. */
export async function readNotificationsOf(
  db: Db,
  userIds: readonly UserId[],
): Promise<(userId: UserId) => Preferences["notifications"]> {
  const stored = await findNotificationsOf(db, userIds);
  const usual = completed("notifications", undefined);
  const known = new Map([...stored].map(([id, value]) => [id, completed("notifications", value)]));
  return (userId) => known.get(userId) ?? usual;
}

export async function changePreferences<Part extends keyof Preferences>(
  call: Pick<Call, "actor" | "note">,
  tx: Tx,
  part: Part,
  value: Preferences[Part],
): Promise<Preferences[Part]> {
  await writePreferences(tx, call.actor.id, part, value);
  call.note({ target: { type: "preferences", id: part } });
  return value;
}
