// Notifications of a user. At most fifty are kept for each user.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment } from "./fields.ts";
import { Severity } from "./validation.ts";

export const NotificationId = z.uuid().brand<"NotificationId">();
export type NotificationId = z.infer<typeof NotificationId>;

/**
 * The preference that lets each type through, in addition to the minimum severity (NOTIF-06, NOTIF-09, NOTIF-10):
 * `validation_failure` enableValidationAlerts, `critical_failure` enableCriticalFailures, `jit_alert` enableJitAlerts,
 * `validation_success` enableSuccessNotifications. The other types are replies to a user's request, or need an
 * action by the user.
 */
export const NOTIFICATION_TYPES = [
  "validation_failure",
  "critical_failure",
  "validation_success",
  "jit_alert",
  "rotation_completed",
  "rotation_attention",
  "reconcile_alert",
  "access_review",
  "security_alert",
  "user_activation",
  "session_alert",
  "report_ready",
  "audit_subscription",
] as const;
export const NotificationType = z.enum(NOTIFICATION_TYPES);
export type NotificationType = z.infer<typeof NotificationType>;

/** NOTIF-05. */
export const Notification = z.object({
  id: NotificationId,
  type: NotificationType,
  title: z.string(),
  message: z.string(),
  severity: Severity,
  timestamp: Moment,
  read: z.boolean(),
  actionRequired: z.boolean(),
  /** Ids, names and numbers, such as `account_id`, `rotation_id`, `count`; never a secret. */
  metadata: z.record(z.string(), z.json()),
  /** The page in the product that the notification links to. */
  link: z.string().nullable(),
});
export type Notification = z.infer<typeof Notification>;

export const MOST_NOTIFICATIONS = 50;

export const listNotifications = endpoint({
  method: "GET",
  path: "/api/v1/notifications",
  summary: "The caller's notifications, newest first",
  reply: z.object({ notifications: z.array(Notification), unread: z.number().int() }),
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

const byId = z.object({ id: NotificationId });

export const readNotification = endpoint({
  method: "POST",
  path: "/api/v1/notifications/:id/read",
  summary: "Mark one of the caller's notifications as read",
  params: byId,
  reply: Notification,
  needs: "signed-in",
  audit: "none",
  gives: "nothing",
  whilePending: true,
});

export const readAllNotifications = endpoint({
  method: "POST",
  path: "/api/v1/notifications/read-all",
  summary: "Mark all of the caller's notifications as read",
  reply: Message,
  needs: "signed-in",
  audit: "none",
  gives: "nothing",
  whilePending: true,
});

export const dismissNotification = endpoint({
  method: "DELETE",
  path: "/api/v1/notifications/:id",
  summary: "Delete one of the caller's notifications",
  params: byId,
  reply: Message,
  needs: "signed-in",
  audit: "none",
  gives: "nothing",
  whilePending: true,
});

export const clearNotifications = endpoint({
  method: "DELETE",
  path: "/api/v1/notifications",
  summary: "Delete all of the caller's notifications",
  reply: Message,
  needs: "signed-in",
  audit: "none",
  gives: "nothing",
  whilePending: true,
});
