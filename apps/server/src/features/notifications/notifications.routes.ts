// Routes of the notifications API.
import {
  clearNotifications,
  dismissNotification,
  listNotifications,
  readAllNotifications,
  readNotification,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { clear, dismiss, markAll, markOne, readOwn } from "./notifications.ts";
import type { NotificationContext } from "./notifications.ts";

export function bindNotifications(context: NotificationContext): void {
  const { kernel } = context;
  implement(kernel, listNotifications, (call, db) => readOwn(context, call, db));
  implement(kernel, readNotification, (call) => markOne(context, call));
  implement(kernel, readAllNotifications, (call) => markAll(context, call));
  implement(kernel, dismissNotification, (call) => dismiss(context, call));
  implement(kernel, clearNotifications, (call) => clear(context, call));
}
