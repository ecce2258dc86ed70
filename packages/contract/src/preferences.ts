// A user's preferences for the dashboard and notifications.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";

export const DashboardPreferences = z.strictObject({
  autoRefresh: z.boolean().default(true),
  /** Milliseconds. */
  refreshInterval: z.number().int().min(5_000).max(3_600_000).default(30_000),
  defaultTimeRange: z.enum(["24h", "7d", "30d"]).default("24h"),
  visibleWidgets: z.array(z.string().max(50)).max(50).default([]),
  notifications: z
    .strictObject({
      enableCriticalAlerts: z.boolean().default(true),
      enableSuccessNotifications: z.boolean().default(false),
      alertSounds: z.boolean().default(false),
    })
    .prefault({}),
});
export type DashboardPreferences = z.infer<typeof DashboardPreferences>;

export const NotificationPreferences = z.strictObject({
  enableValidationAlerts: z.boolean().default(true),
  enableCriticalFailures: z.boolean().default(true),
  enableJitAlerts: z.boolean().default(true),
  enableSuccessNotifications: z.boolean().default(false),
  alertSounds: z.boolean().default(false),
  emailNotifications: z.boolean().default(false),
  minimumSeverity: z.enum(["low", "medium", "high", "critical"]).default("medium"),
});
export type NotificationPreferences = z.infer<typeof NotificationPreferences>;

const dashboardPath = "/api/v1/user/preferences/dashboard";
const notificationsPath = "/api/v1/user/preferences/notifications";

export const readDashboardPreferences = endpoint({
  method: "GET",
  path: dashboardPath,
  summary: "The caller's dashboard preferences",
  reply: DashboardPreferences,
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

export const updateDashboardPreferences = endpoint({
  method: "PUT",
  path: dashboardPath,
  summary: "Change the caller's dashboard preferences",
  body: completeBody(DashboardPreferences),
  reply: DashboardPreferences,
  needs: "signed-in",
  audit: "preferences.changed",
  gives: "nothing",
  whilePending: true,
});

export const readNotificationPreferences = endpoint({
  method: "GET",
  path: notificationsPath,
  summary: "The caller's notification preferences",
  reply: NotificationPreferences,
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

export const updateNotificationPreferences = endpoint({
  method: "PUT",
  path: notificationsPath,
  summary: "Change the caller's notification preferences",
  body: completeBody(NotificationPreferences),
  reply: NotificationPreferences,
  needs: "signed-in",
  audit: "preferences.changed",
  gives: "nothing",
  whilePending: true,
});
