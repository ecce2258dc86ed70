// Notifications: what people are told beside what they look at, by what they want to hear.
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createDelivery } from "./delivery.ts";
import type { Delivery } from "./delivery.ts";
import { defineMails } from "./mail-notification.ts";
import type { Site } from "./notifications.ts";
import { bindNotifications } from "./notifications.routes.ts";
import { remove } from "./notifications.store.ts";
import { notifyOf, settleOf } from "./notify.ts";
import type { Notify, Settle } from "./notify.ts";

export interface NotificationsFeature extends Delivery {
  /** For every feature that has something to tell. */
  notify: Notify;
  /** For who told of something that waited for somebody. */
  settle: Settle;
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

export function installNotifications(kernel: Kernel, deps: Omit<Site, "kernel">): NotificationsFeature {
  const site: Site = { kernel, ...deps };
  bindNotifications(site);
  defineMails(site);
  return {
    ...createDelivery(site),
    notify: notifyOf(kernel),
    settle: settleOf(kernel),
    forgetPerson: async (tx, userId) => void (await remove(tx, userId)),
  };
}

export { notifyOf } from "./notify.ts";
export type { Notice, Notify, Settle } from "./notify.ts";
