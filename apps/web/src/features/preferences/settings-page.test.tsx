import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import SettingsPage from "./settings-page.tsx";

const NOTIFICATIONS = {
  enableValidationAlerts: true,
  enableCriticalFailures: true,
  enableJitAlerts: true,
  enableSuccessNotifications: false,
  alertSounds: false,
  emailNotifications: false,
  minimumSeverity: "medium",
};
const DASHBOARD = {
  autoRefresh: true,
  refreshInterval: 30_000,
  defaultTimeRange: "24h",
  visibleWidgets: [],
  notifications: { enableCriticalAlerts: true, enableSuccessNotifications: false, alertSounds: false },
};
const session = (role: string) => ({
  json: {
    user: { ...TEST_USER, role },
    session_id: "22222222-2222-4222-8222-222222222222",
    is_pending: false,
    expires_at: "2100-01-01T00:00:00.000Z",
    limits: { timeout_minutes: 30, warning_minutes: 5, privileged_timeout_minutes: 15 },
  },
});

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    "GET /api/v1/auth/session": session("user"),
    "GET /api/v1/user/preferences/notifications": { json: NOTIFICATIONS },
    "GET /api/v1/user/preferences/dashboard": { json: DASHBOARD },
    "PUT /api/v1/user/preferences/notifications": ({ body }) => ({ json: body }),
    "PUT /api/v1/user/preferences/dashboard": ({ body }) => ({ json: body }),
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

test("API-21, NOTIF-06: changing a notification switch saves all notification preferences at once", async () => {
  const { user } = renderScreen(<SettingsPage />);
  await user.click(await screen.findByRole("switch", { name: /^Alert sounds/ }));
  expect(await screen.findByText("Notification preferences saved")).toBeTruthy();
  expect(api.requestsTo("PUT /api/v1/user/preferences/notifications")[0]?.body).toEqual({
    ...NOTIFICATIONS,
    alertSounds: true,
  });
  expect(screen.getByRole("switch", { name: /^Alert sounds/ })).toHaveProperty("checked", true);
});

test("NOTIF-09: changing the minimum severity saves it; it has four levels and defaults to medium", async () => {
  const { user } = renderScreen(<SettingsPage />);
  const select = await screen.findByLabelText<HTMLSelectElement>("Minimum severity");
  expect([...select.options].map(({ text }) => text)).toEqual(["Low", "Medium", "High", "Critical"]);
  expect(select.value).toBe("medium");
  await user.selectOptions(select, "high");
  expect(await screen.findByText("Notification preferences saved")).toBeTruthy();
  expect(api.requestsTo("PUT /api/v1/user/preferences/notifications")[0]?.body).toEqual({
    ...NOTIFICATIONS,
    minimumSeverity: "high",
  });
  await waitFor(() => expect(select.value).toBe("high"));
});

test("API-22: changing the dashboard preferences saves them", async () => {
  const { user } = renderScreen(<SettingsPage />);
  await user.selectOptions(await screen.findByLabelText("Refresh interval"), "60000");
  expect(await screen.findByText("Dashboard preferences saved")).toBeTruthy();
  expect(api.requestsTo("PUT /api/v1/user/preferences/dashboard")[0]?.body).toEqual({
    ...DASHBOARD,
    refreshInterval: 60_000,
  });
});

test("a preference that fails to save shows the stored value and the reason", async () => {
  api.on("PUT /api/v1/user/preferences/notifications", problem(500, "internal", "Not today"));
  const { user } = renderScreen(<SettingsPage />);
  await user.click(await screen.findByRole("switch", { name: /^Email/ }));
  expect(await screen.findByText("Not today")).toBeTruthy();
  expect(screen.getByRole("switch", { name: /^Email/ })).toHaveProperty("checked", false);
});

test("preferences that cannot be loaded show an error with Retry", async () => {
  api.on("GET /api/v1/user/preferences/dashboard", problem(500, "internal", "Broken"));
  const { user } = renderScreen(<SettingsPage />);
  expect(await screen.findByText("Broken")).toBeTruthy();
  api.on("GET /api/v1/user/preferences/dashboard", { json: DASHBOARD });
  await user.click(screen.getByRole("button", { name: "Retry" }));
  expect(await screen.findByLabelText("Refresh interval")).toBeTruthy();
});

test("OPEN-02: the page shows the effective limits, and says when the installation's limits are tighter than the user's", async () => {
  signInForTest({ role: "admin" });
  api.on("GET /api/v1/auth/session", session("admin"));
  renderScreen(<SettingsPage />);
  await waitFor(() => expect(api.requestsTo("GET /api/v1/auth/session")).toHaveLength(1));
  expect(
    await screen.findByText(
      /You are signed out after 15 minutes .* warning 5 minutes before\. This installation's limit for your role is stricter/,
    ),
  ).toBeTruthy();
});

test("the colour scheme can be light, dark or the system's", async () => {
  const { user } = renderScreen(<SettingsPage />);
  await user.click(screen.getByRole("radio", { name: "Dark" }));
  expect(document.documentElement.dataset["mantineColorScheme"]).toBe("dark");
});

test("the time zone and the date style apply immediately and stay in this browser", async () => {
  const { user } = renderScreen(<SettingsPage />, { at: "/settings" });
  await user.click(await screen.findByRole("radio", { name: "UTC" }));
  await user.click(screen.getByRole("radio", { name: "ISO 8601" }));
  expect(screen.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)).toBeTruthy();
  expect(localStorage.getItem("strongroom.timeFormat")).toBe('{"zone":"utc","style":"iso"}');
  localStorage.clear();
});
