// Merges the alert preferences of the dashboard and of notifications (VAL-50).
import type { DashboardPreferences, NotificationPreferences } from "@strongroom/contract";

export interface AlertSettings {
  showsCritical: boolean;
  speaks: boolean;
  tellsSuccess: boolean;
}

/** Critical alerts require both preferences; sounds and success toasts require either one. */
export const alertSettings = (
  dashboard: DashboardPreferences,
  notifications: NotificationPreferences,
): AlertSettings => ({
  showsCritical: dashboard.notifications.enableCriticalAlerts && notifications.enableCriticalFailures,
  speaks: dashboard.notifications.alertSounds || notifications.alertSounds,
  tellsSuccess: dashboard.notifications.enableSuccessNotifications || notifications.enableSuccessNotifications,
});

/** Used until the preferences are loaded. */
export const DEFAULT_ALERT_SETTINGS: AlertSettings = { showsCritical: true, speaks: false, tellsSuccess: false };
