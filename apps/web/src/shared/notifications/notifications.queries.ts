// Queries and mutations of the user's notifications.
import {
  clearNotifications,
  dismissNotification,
  listNotifications,
  readAllNotifications,
  readNotification,
  type NotificationId,
  type ReplyOf,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

/** Milliseconds. Live events report changes; polling catches those missed while disconnected. */
const REFRESH_MS = 60_000;

type Notifications = ReplyOf<typeof listNotifications>;

export const ownNotifications = {
  ...queryOf(listNotifications, {}, { isBackground: true }),
  refetchInterval: REFRESH_MS,
};

/** Updates the cache optimistically and rolls it back when the server refuses. */
const acting = <Input>(
  client: QueryClient,
  send: (input: Input) => Promise<unknown>,
  expected: (before: Notifications, input: Input) => Notifications,
) =>
  mutationOptions({
    mutationFn: send,
    onMutate: async (input: Input) => {
      await client.cancelQueries({ queryKey: ownNotifications.queryKey });
      client.setQueryData(ownNotifications.queryKey, (before) => before && expected(before, input));
    },
    onSettled: () => invalidatePath(client, "/api/v1/notifications"),
  });

const counted = (notifications: Notifications["notifications"]): Notifications => ({
  notifications,
  unread: notifications.filter(({ read }) => !read).length,
});

/** NOTIF-07. */
export const readingOne = (client: QueryClient) =>
  acting(
    client,
    (id: NotificationId) => call(readNotification, { params: { id } }),
    ({ notifications }, id) => counted(notifications.map((each) => (each.id === id ? { ...each, read: true } : each))),
  );

export const readingAll = (client: QueryClient) =>
  acting<void>(
    client,
    () => call(readAllNotifications),
    ({ notifications }) => counted(notifications.map((each) => ({ ...each, read: true }))),
  );

/** NOTIF-08. */
export const dismissing = (client: QueryClient) =>
  acting(
    client,
    (id: NotificationId) => call(dismissNotification, { params: { id } }),
    ({ notifications }, id) => counted(notifications.filter((each) => each.id !== id)),
  );

export const clearing = (client: QueryClient) =>
  acting<void>(
    client,
    () => call(clearNotifications),
    () => counted([]),
  );
