// Whether a critical failure shows and is spoken: the dashboard's and the notifications' preferences, merged (VAL-50).
import type { DashboardPreferences, NotificationPreferences } from "@strongroom/contract";

export interface AlertSettings {
  showsCritical: boolean;
  speaks: boolean;
}

/** Whoever turned alerts off in one of the two places wants none; whoever turned sounds on in one wants to hear them. */
export const alertSettings = (
  dashboard: DashboardPreferences,
  notifications: NotificationPreferences,
): AlertSettings => ({
  showsCritical: dashboard.notifications.enableCriticalAlerts && notifications.enableCriticalFailures,
  speaks: dashboard.notifications.alertSounds || notifications.alertSounds,
});

/** While they are not known. */
export const USUAL_SETTINGS: AlertSettings = { showsCritical: true, speaks: false };
