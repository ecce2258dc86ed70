// The dashboard and notification preferences of users.
import type { UserId } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readNotificationsOf, changePreferences, readPreferences } from "./preferences.ts";
import { deletePreferences } from "./preferences.store.ts";
import {
  readDashboardPreferences,
  readNotificationPreferences,
  updateDashboardPreferences,
  updateNotificationPreferences,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
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

function bindPreferences(kernel: Kernel): void {
  implement(kernel, readDashboardPreferences, (call, db) => readPreferences(db, call.actor.id, "dashboard"));
  implement(kernel, updateDashboardPreferences, (call, tx) => changePreferences(call, tx, "dashboard", call.body));
  implement(kernel, readNotificationPreferences, (call, db) => readPreferences(db, call.actor.id, "notifications"));
  implement(kernel, updateNotificationPreferences, (call, tx) =>
    changePreferences(call, tx, "notifications", call.body),
  );
}
