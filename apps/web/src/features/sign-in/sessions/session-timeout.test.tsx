import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Protected } from "#app/guards.tsx";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import { configureCalls } from "#shared/api/call.ts";
import { recordActivity } from "#shared/session/activity.ts";
import { currentSession } from "#shared/session/session-store.ts";
import { SessionTimeout } from "./session-timeout.tsx";

const MINUTE = 60_000;
const TOAST = "Your session will expire in 2 minutes due to inactivity.";
let api: TestApi;

beforeEach(async () => {
  api = await startApi({
    "GET /api/v1/auth/session": {
      json: {
        user: TEST_USER,
        session_id: "22222222-2222-4222-8222-222222222222",
        is_pending: false,
        expires_at: "2100-01-01T00:00:00.000Z",
        limits: { timeout_minutes: 30, warning_minutes: 5, privileged_timeout_minutes: 15 },
      },
    },
    "POST /api/v1/auth/logout": { json: { message: "ok", provider: null } },
    "POST /api/v1/auth/activity": { json: { idle_until: "2100-01-01T00:00:00.000Z" } },
  });
  configureCalls({ token: () => currentSession().token });
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["Date", "setInterval", "clearInterval"] });
  recordActivity();
});
afterEach(async () => {
  vi.useRealTimers();
  signOutForTest();
  await api.close();
});

const idle = (ms: number) => act(() => void vi.advanceTimersByTime(ms));
const show = () =>
  renderScreen(null, { routes: [{ element: <Protected />, children: [{ path: "/", element: <SessionTimeout /> }] }] });
const start = async () => {
  signInForTest({ exp: Math.floor(Date.now() / 1000) + 86_400 });
  show();
  await waitFor(() => expect(api.requestsTo("GET /api/v1/auth/session")).toHaveLength(1));
};
const dialog = () => screen.queryByRole("dialog", { name: "Session Timeout Warning" });

test("AUTH-57, AUTH-58, AUTH-59: the dialog counts down with its two buttons when 5 of 30 minutes are left", async () => {
  await start();
  idle(25 * MINUTE - 2000);
  expect(dialog()).toBeNull();
  idle(3000);
  expect(dialog()).not.toBeNull();
  expect(screen.getByRole("timer").textContent).toMatch(/^(5:00|4:59)$/);
  idle(60_000);
  expect(screen.getByRole("timer").textContent).toMatch(/^(4:00|3:59|3:58)$/);
  expect(screen.getByRole("button", { name: "Logout Now" })).toBeTruthy();
});

test("AUTH-51: any activity while the warning is open resets the clock, and a new idle period has its own toast", async () => {
  await start();
  idle(28 * MINUTE + 1000);
  expect(await screen.findByText(TOAST)).toBeTruthy();
  idle(6000);
  await waitFor(() => expect(screen.queryByText(TOAST)).toBeNull());
  fireEvent.mouseMove(document.body);
  idle(1000);
  expect(screen.getByRole("timer").textContent).toMatch(/^(30:00|29:5\d)$/);
  await waitFor(() => expect(api.requestsTo("POST /api/v1/auth/activity")).toHaveLength(1));
  idle(27 * MINUTE);
  expect(currentSession().status).toBe("signed-in");
  expect(screen.queryByText(TOAST)).toBeNull();
  idle(MINUTE);
  expect(await screen.findByText(TOAST)).toBeTruthy();
  idle(2 * MINUTE);
  expect(await screen.findByText("Session expired due to inactivity. Please log in again.")).toBeTruthy();
  expect(currentSession()).toMatchObject({ status: "signed-out", by: "inactivity" });
});

test("activity after the session expired does not revive it", async () => {
  await start();
  vi.setSystemTime(Date.now() + 31 * MINUTE);
  fireEvent.mouseMove(document.body);
  await waitFor(() => expect(currentSession()).toMatchObject({ status: "signed-out", by: "inactivity" }));
  expect(api.requestsTo("POST /api/v1/auth/activity")).toHaveLength(0);
});

test("AUTH-60: clicking outside, Escape or moving the mouse does not close the dialog", async () => {
  await start();
  idle(26 * MINUTE);
  fireEvent.mouseDown(document.body);
  fireEvent.mouseMove(document.body);
  fireEvent.keyDown(document.body, { key: "Escape" });
  idle(1000);
  expect(dialog()).not.toBeNull();
});

test('AUTH-62: "Stay Logged In" records activity, notifies the server and closes the dialog', async () => {
  await start();
  idle(26 * MINUTE);
  fireEvent.click(screen.getByRole("button", { name: "Stay Logged In" }));
  await waitFor(() => expect(dialog()).toBeNull());
  await waitFor(() => expect(api.requestsTo("POST /api/v1/auth/activity")).toHaveLength(1));
  idle(20 * MINUTE);
  expect(currentSession().status).toBe("signed-in");
});

test("activity in another tab keeps this tab signed in", async () => {
  await start();
  idle(26 * MINUTE);
  expect(dialog()).not.toBeNull();
  localStorage.setItem("strongroom.last-activity", String(Date.now()));
  idle(1000);
  await waitFor(() => expect(dialog()).toBeNull());
});

test('AUTH-61, AUTH-63: "Logout Now" shows "Securing session..." and signs out', async () => {
  let answer: () => void = () => undefined;
  api.on(
    "POST /api/v1/auth/logout",
    () => new Promise((resolve) => (answer = () => resolve({ json: { message: "ok" } }))),
  );
  await start();
  idle(26 * MINUTE);
  fireEvent.click(screen.getByRole("button", { name: "Logout Now" }));
  expect(await screen.findByText("Securing session...")).toBeTruthy();
  await waitFor(() => expect(api.requestsTo("POST /api/v1/auth/logout")).toHaveLength(1));
  answer();
  await waitFor(() => expect(currentSession()).toMatchObject({ status: "signed-out", by: "person" }));
});

test("AUTH-50, AUTH-52, AUTH-53, AUTH-64: shows a toast with 2 minutes left, then signs out with a toast", async () => {
  await start();
  idle(28 * MINUTE + 1000);
  expect(await screen.findByText(TOAST)).toBeTruthy();
  idle(2 * MINUTE);
  expect(await screen.findByText("Session expired due to inactivity. Please log in again.")).toBeTruthy();
  expect(currentSession()).toMatchObject({ status: "signed-out", by: "inactivity" });
});

test("AUTH-54: the page reloads when its session cannot be deleted", async () => {
  await start();
  const reload = vi.fn();
  vi.stubGlobal("location", { ...location, reload });
  const stuck = vi.spyOn(Storage.prototype, "removeItem").mockImplementation(() => {
    throw new Error("the browser refuses");
  });
  idle(30 * MINUTE + 1000);
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  stuck.mockRestore();
  vi.unstubAllGlobals();
});

test("AUTH-56: every kind of activity counts, and the server is notified at most once a minute", async () => {
  await start();
  for (const kind of ["mouseDown", "mouseMove", "keyDown", "scroll", "touchStart", "click"] as const) {
    idle(20 * MINUTE);
    fireEvent[kind](document.body);
    fireEvent[kind](document.body);
  }
  idle(10 * MINUTE);
  expect(currentSession().status).toBe("signed-in");
  await waitFor(() => expect(api.requestsTo("POST /api/v1/auth/activity")).toHaveLength(6));
});

test("OPEN-01: an administrator's tighter limit applies", async () => {
  signInForTest({ role: "admin", exp: Math.floor(Date.now() / 1000) + 86_400 });
  show();
  idle(10 * MINUTE + 1000);
  expect(await screen.findByRole("dialog", { name: "Session Timeout Warning" })).toBeTruthy();
});
