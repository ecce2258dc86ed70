// Whether a critical failure shows and is spoken, and whether successes are told: the dashboard's and the notifications' preferences, merged (VAL-50).
import type { DashboardPreferences, NotificationPreferences } from "@strongroom/contract";

export interface AlertSettings {
  showsCritical: boolean;
  speaks: boolean;
  tellsSuccess: boolean;
}

/** Whoever turned alerts off in one of the two places wants none; whoever turned sounds or successes on in one wants them. */
export const alertSettings = (
  dashboard: DashboardPreferences,
  notifications: NotificationPreferences,
): AlertSettings => ({
  showsCritical: dashboard.notifications.enableCriticalAlerts && notifications.enableCriticalFailures,
  speaks: dashboard.notifications.alertSounds || notifications.alertSounds,
  tellsSuccess: dashboard.notifications.enableSuccessNotifications || notifications.enableSuccessNotifications,
});

/** While they are not known. */
export const USUAL_SETTINGS: AlertSettings = { showsCritical: true, speaks: false, tellsSuccess: false };
