// What people set for themselves, completed by the contract's defaults.
import { DashboardPreferences, NotificationPreferences } from "@strongroom/contract";
import type { UserId } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { findPreferences, writePreferences } from "./preferences.store.ts";
import type { Preferences } from "./preferences.store.ts";

const schemas = { dashboard: DashboardPreferences, notifications: NotificationPreferences };

/** What an older version stored and this one does not understand counts as not set. */
export async function readPreferences<Part extends keyof Preferences>(
  db: Db,
  userId: UserId,
  part: Part,
): Promise<Preferences[Part]> {
  const stored = schemas[part].safeParse((await findPreferences(db, userId, part)) ?? {});
  return (stored.success ? stored.data : schemas[part].parse({})) as Preferences[Part];
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
