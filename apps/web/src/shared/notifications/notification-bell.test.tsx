import { NotificationId, type Notification } from "@strongroom/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { messageOr, nameOr } from "./fallbacks.ts";
import { badgeText } from "./bell-button.tsx";
import { NotificationBell } from "./notification-bell.tsx";

const LIST = "GET /api/v1/notifications";
const idOf = (n: number) => NotificationId.parse(`00000000-0000-4000-8000-00000000000${n}`);

const aNotification = (n: number, more: Partial<Notification> = {}): Notification => ({
  id: idOf(n),
  type: "validation_failure",
  title: `Root ${n} failed`,
  message: `Reason ${n}`,
  severity: "high",
  timestamp: new Date().toISOString(),
  read: false,
  actionRequired: false,
  metadata: {},
  link: null,
  ...more,
});

let api: TestApi;
let stored: Notification[];
beforeEach(async () => {
  signInForTest();
  stored = [aNotification(1, { link: "/accounts/1", actionRequired: true }), aNotification(2), aNotification(3)];
  const done = { json: { message: "Done" } };
  api = await startApi({
    [LIST]: () => ({ json: { notifications: stored, unread: stored.filter(({ read }) => !read).length } }),
    "POST /api/v1/notifications/read-all": () => {
      stored = stored.map((each) => ({ ...each, read: true }));
      return done;
    },
    "POST /api/v1/notifications/:id/read": ({ path }) => {
      stored = stored.map((each) => (path.includes(each.id) ? { ...each, read: true } : each));
      return { json: stored[0] };
    },
    "DELETE /api/v1/notifications/:id": ({ path }) => {
      stored = stored.filter((each) => !path.endsWith(each.id));
      return done;
    },
    "DELETE /api/v1/notifications": () => {
      stored = [];
      return done;
    },
  });
});
afterEach(() => api.close());

async function openBell() {
  const view = renderScreen(<NotificationBell />, { at: "/" });
  await view.user.click(await screen.findByRole("button", { name: /^Notifications, 3 unread/ }));
  await screen.findByRole("list", { name: "Notifications" });
  return view;
}

test("NOTIF-02: the badge shows the unread count, 99+ above 99, and is hidden for zero", () =>
  expect([0, 1, 99, 100].map(badgeText)).toEqual(["", "1", "99", "99+"]));

test("NOTIF-12: missing texts have fallbacks", () => {
  expect(messageOr(null)).toBe("Unknown error");
  expect(messageOr(" ", "network")).toBe("Connection error");
  expect(messageOr("Refused", "network")).toBe("Refused");
  expect([nameOr(""), nameOr("root")]).toEqual(["Unknown Account", "root"]);
});

test("NOTIF-01, NOTIF-03, NOTIF-05: the bell shows settings, Mark All Read, Clear All, each notification and the offline state", async () => {
  await openBell();
  for (const name of ["Mark All Read", "Clear All"]) expect(screen.getByRole("button", { name })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Notification settings" }).getAttribute("href")).toBe("/settings");
  expect(screen.getByText("Offline")).toBeTruthy();
  const [first] = within(screen.getByRole("list", { name: "Notifications" })).getAllByRole("listitem");
  for (const text of ["Root 1 failed", "Reason 1", "Action required", "New"]) within(first!).getByText(text);
});

test("NOTIF-07: clicking a notification marks it as read and opens its target", async () => {
  const { user } = await openBell();
  await user.click(screen.getByRole("button", { name: /^Root 1 failed/ }));
  expect((await screen.findByTestId("address")).textContent).toBe("/accounts/1");
  await waitFor(() => expect(stored[0]?.read).toBe(true));
});

test("NOTIF-07: Mark All Read marks all as read", async () => {
  const { user } = await openBell();
  await user.click(screen.getByRole("button", { name: "Mark All Read" }));
  expect(await screen.findByRole("button", { name: "Notifications, offline" })).toBeTruthy();
  await waitFor(() => expect(stored.every(({ read }) => read)).toBe(true));
});

test("NOTIF-04, NOTIF-08: the user dismisses one notification, or clears all", async () => {
  const { user } = await openBell();
  await user.click(screen.getByRole("button", { name: "Dismiss Root 2 failed" }));
  await waitFor(() => expect(screen.queryByText("Root 2 failed")).toBeNull());
  await waitFor(() => expect(stored.map(({ id }) => id)).toEqual([idOf(1), idOf(3)]));
  await user.click(screen.getByRole("button", { name: "Clear All" }));
  expect(await screen.findByText("No notifications")).toBeTruthy();
  await waitFor(() => expect(stored).toEqual([]));
});

test("an action that the server refuses is rolled back", async () => {
  api.on("DELETE /api/v1/notifications/:id", problem(500, "internal", "Not now"));
  const { user } = await openBell();
  await user.click(screen.getByRole("button", { name: "Dismiss Root 2 failed" }));
  await waitFor(() => expect(api.requestsTo(LIST).length).toBeGreaterThan(1));
  expect(await screen.findByText("Root 2 failed")).toBeTruthy();
});
