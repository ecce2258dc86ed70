// Use cases of a user's own notifications: list, mark as read and dismiss.
import type {
  Message,
  Notification,
  NotificationId,
  NotificationPreferences,
  UserId,
  dismissNotification,
  readNotification,
} from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Mail } from "#features/mail/index.ts";
import { isWanted } from "./notifications.policy.ts";
import { listOf, markAllRead, markRead, remove } from "./notifications.store.ts";
import type { NotificationRow } from "./notifications.store.ts";

export interface NotificationContext {
  kernel: Kernel;
  mail: Mail;
  /** The name and address for emails to a user; null if the user does not exist. */
  recipientOf(db: Db, userId: string): Promise<{ name: string; email: string; canSignIn: boolean } | null>;
  /** The user's preferences, with defaults for those not set. */
  notificationsOf(db: Db, userIds: readonly UserId[]): Promise<(userId: UserId) => NotificationPreferences>;
}

/** The live event for users whose notifications changed. */
export const changed = (users: readonly string[]): NewEvent => ({
  type: "notification.changed",
  audience: { users },
  data: {},
});

/** Newest first. Notifications that no longer match the preferences are hidden too. */
export async function readOwn(
  { notificationsOf }: NotificationContext,
  { actor }: { actor: Actor },
  db: Db,
): Promise<{ notifications: Notification[]; unread: number }> {
  const [rows, preferences] = await Promise.all([listOf(db, actor.id), notificationsOf(db, [actor.id])]);
  const notifications = rows.filter((row) => isWanted(row, preferences(actor.id))).map(toNotification);
  return { notifications, unread: notifications.filter(({ read }) => !read).length };
}

/** NOTIF-07: marks one notification as read. */
export async function markOne(
  { kernel }: NotificationContext,
  call: Call<typeof readNotification>,
): Promise<Notification> {
  const row = await kernel.database.transaction(async (tx) => {
    const marked = await markRead(tx, call.actor.id, call.params.id, kernel.clock.now());
    if (marked !== null) await kernel.events.publish(tx, changed([call.actor.id]));
    return marked;
  });
  if (row === null) throw notFound();
  return toNotification(row);
}

export async function markAll({ kernel }: NotificationContext, { actor }: { actor: Actor }): Promise<Message> {
  await kernel.database.transaction(async (tx) => {
    const count = await markAllRead(tx, actor.id, kernel.clock.now());
    if (count > 0) await kernel.events.publish(tx, changed([actor.id]));
  });
  return { message: "All notifications marked as read" };
}

/** NOTIF-08: deletes a notification. */
export async function dismiss(context: NotificationContext, call: Call<typeof dismissNotification>): Promise<Message> {
  if ((await removeOwn(context, call.actor, call.params.id)) === 0) throw notFound();
  return { message: "Notification deleted" };
}

export async function clear(context: NotificationContext, { actor }: { actor: Actor }): Promise<Message> {
  await removeOwn(context, actor);
  return { message: "All notifications deleted" };
}

async function removeOwn({ kernel }: NotificationContext, actor: Actor, id?: string): Promise<number> {
  return kernel.database.transaction(async (tx) => {
    const count = await remove(tx, actor.id, id);
    if (count > 0) await kernel.events.publish(tx, changed([actor.id]));
    return count;
  });
}

/** Gives the same reply for another user's notification and for a missing one. */
const notFound = (): Refusal => refuse(404, "notification.not-found", "Notification not found");

function toNotification(row: NotificationRow): Notification {
  const { type, title, message, severity, link } = row;
  return {
    id: row.id as NotificationId,
    type,
    title,
    message,
    severity,
    timestamp: row.created_at.toISOString(),
    read: row.read_at !== null,
    actionRequired: row.action_required,
    metadata: row.metadata as Notification["metadata"],
    link,
  };
}
