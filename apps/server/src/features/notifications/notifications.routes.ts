// Binds the calls about notifications to their use cases.
import {
  clearNotifications,
  dismissNotification,
  listNotifications,
  readAllNotifications,
  readNotification,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { clear, dismiss, markAll, markOne, readOwn } from "./notifications.ts";
import type { Site } from "./notifications.ts";

export function bindNotifications(site: Site): void {
  const { kernel } = site;
  implement(kernel, listNotifications, (call, db) => readOwn(site, call, db));
  implement(kernel, readNotification, (call) => markOne(site, call));
  implement(kernel, readAllNotifications, (call) => markAll(site, call));
  implement(kernel, dismissNotification, (call) => dismiss(site, call));
  implement(kernel, clearNotifications, (call) => clear(site, call));
}
