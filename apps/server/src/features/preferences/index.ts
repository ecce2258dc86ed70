// The dashboard and notification preferences of users.
import type { UserId } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { bindPreferences } from "./preferences.routes.ts";
import { readNotificationsOf } from "./preferences.ts";
import { deletePreferences } from "./preferences.store.ts";
import type { Preferences } from "./preferences.store.ts";

export interface PreferencesFeature {
  /** Called when a user is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** Returns the defaults for users who have not set any preferences. */
  notificationsOf(db: Db, userIds: readonly UserId[]): Promise<(userId: UserId) => Preferences["notifications"]>;
}

export function installPreferences(kernel: Kernel): PreferencesFeature {
  bindPreferences(kernel);
  return {
    forgetPerson: deletePreferences,
    notificationsOf: readNotificationsOf,
  };
}
