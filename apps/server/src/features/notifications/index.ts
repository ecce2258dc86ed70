// Notifications: messages to users, filtered by their preferences.
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createDelivery } from "./delivery.ts";
import type { Delivery } from "./delivery.ts";
import { defineMails } from "./mail-notification.ts";
import type { NotificationContext } from "./notifications.ts";
import { bindNotifications } from "./notifications.routes.ts";
import { remove } from "./notifications.store.ts";
import { notifyOf, settleOf } from "./notify.ts";
import type { Notify, Settle } from "./notify.ts";

export interface NotificationsFeature extends Delivery {
  /** Notifies users. Available to all features. */
  notify: Notify;
  /** Settles a notification that asked for an action, once the action is done or no longer needed. */
  settle: Settle;
  /** Call this when a user is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

export function installNotifications(kernel: Kernel, deps: Omit<NotificationContext, "kernel">): NotificationsFeature {
  const context: NotificationContext = { kernel, ...deps };
  bindNotifications(context);
  defineMails(context);
  return {
    ...createDelivery(context),
    notify: notifyOf(kernel),
    settle: settleOf(kernel),
    forgetPerson: async (tx, userId) => void (await remove(tx, userId)),
  };
}

export { notifyOf } from "./notify.ts";
export type { Notice, Notify, Settle } from "./notify.ts";
