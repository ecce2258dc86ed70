// Binds the calls about preferences to their use cases.
import {
  readDashboardPreferences,
  readNotificationPreferences,
  updateDashboardPreferences,
  updateNotificationPreferences,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { changePreferences, readPreferences } from "./preferences.ts";

export function bindPreferences(kernel: Kernel): void {
  implement(kernel, readDashboardPreferences, (call, db) => readPreferences(db, call.actor.id, "dashboard"));
  implement(kernel, updateDashboardPreferences, (call, tx) => changePreferences(call, tx, "dashboard", call.body));
  implement(kernel, readNotificationPreferences, (call, db) => readPreferences(db, call.actor.id, "notifications"));
  implement(kernel, updateNotificationPreferences, (call, tx) =>
    changePreferences(call, tx, "notifications", call.body),
  );
}
