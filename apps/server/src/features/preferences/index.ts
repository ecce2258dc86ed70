// What people set for themselves: the dashboard and the notifications.
import type { UserId } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { bindPreferences } from "./preferences.routes.ts";
import { readNotificationsOf } from "./preferences.ts";
import { deletePreferences } from "./preferences.store.ts";
import type { Preferences } from "./preferences.store.ts";

export interface PreferencesFeature {
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** With the defaults where somebody set nothing. */
  notificationsOf(db: Db, userIds: readonly UserId[]): Promise<(userId: UserId) => Preferences["notifications"]>;
}

export function installPreferences(kernel: Kernel): PreferencesFeature {
  bindPreferences(kernel);
  return {
    forgetPerson: deletePreferences,
    notificationsOf: readNotificationsOf,
  };
}
