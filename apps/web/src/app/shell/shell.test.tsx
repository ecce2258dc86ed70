import { CredentialId, listCredentials, type Health, type LiveEvent, type Outcome } from "@strongroom/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import { call, configureCalls } from "#shared/api/call.ts";
import { forgetTrouble } from "#shared/api/database-trouble.ts";
import { wait } from "#shared/api/retry.ts";
import { REPORT_AFTER_MS, recordResponse } from "#shared/api/server-contact.ts";
import { currentSession } from "#shared/session/session-store.ts";
import { LOOK_AGAIN_MS } from "#shared/ui/database-notice.tsx";
import { routes } from "../router.tsx";
import { KEEP_ALIVE_MS, statusNote } from "./system-status.tsx";
import { displayName } from "./top-bar.tsx";

const HEALTH: Health = { status: "healthy", summary: "fine", version: "1", uptime: 1, checks: [] };
let api: TestApi;

beforeEach(async () => {
  signInForTest({ role: "manager" });
  api = await startApi({
    "GET /api/v1/health": { json: HEALTH },
    "GET /api/v1/notifications": { json: { notifications: [], unread: 0 } },
    "POST /api/v1/auth/logout": { json: { message: "ok", provider: null } },
    "GET /api/v1/auth/entrance": { json: { needs_setup: false, sign_up_open: true, mail_configured: true } },
    "GET /api/v1/auth/session": {
      json: {
        user: TEST_USER,
        session_id: "22222222-2222-4222-8222-222222222222",
        is_pending: false,
        expires_at: "2100-01-01T00:00:00.000Z",
        limits: { timeout_minutes: 30, warning_minutes: 5, privileged_timeout_minutes: 15 },
      },
    },
  });
  configureCalls({ token: () => currentSession().token });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

async function show(at = "/help") {
  const view = renderScreen(null, { at, routes });
  const main = within(await screen.findByRole("navigation", { name: "Main" }));
  await screen.findByRole("heading", { level: 1 });
  return { ...view, main };
}

describe("the sidebar", () => {
  test("SHELL-10, SHELL-12: the layout has a sidebar with the tagline, a top bar and a main area", async () => {
    await show();
    for (const role of ["complementary", "banner", "main"]) expect(screen.getAllByRole(role).length).toBe(1);
    expect(screen.getByText("Security Platform")).toBeTruthy();
  });

  test("SHELL-14, SHELL-16, SHELL-17: shows the entries in order with their links", async () => {
    const { main } = await show();
    expect(main.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      ["Dashboard", "/"],
      ["Accounts", "/accounts"],
      ["Validation Dashboard", "/validation-dashboard"],
      ["Safes", "/safes"],
      ["Credential Vault", "/vault"],
      ["Discovery", "/discovery"],
      ["CPM Dashboard", "/cpm-dashboard"],
      ["JIT Access", "/jit-access"],
      ["Session Monitoring", "/sessions"],
      ["Access Control", "/access-control"],
      ["Integrations", "/integrations"],
      ["Audit Logs", "/audit-logs"],
      ["Admin Console", "/admin"],
    ]);
  });

  test.each([
    ["manager", ["Integrations", "Audit Logs", "Admin Console"]],
    ["user", []],
  ] as const)("OPEN-19: hides the entries that a %s cannot use", async (role, entries) => {
    signInForTest({ role });
    const { main } = await show();
    const shown = main.getAllByRole("link").map((link) => link.textContent);
    expect(shown.slice(shown.indexOf("Access Control") + 1)).toEqual(entries);
  });

  test("the Admin Console lists its pages while one of them is open", async () => {
    const { main } = await show("/admin/groups");
    const shown = main.getAllByRole("link").map((link) => link.textContent);
    expect(shown.slice(-3)).toEqual(["Admin Console", "Groups", "Platforms"]);
    expect(main.getByRole("link", { current: "page" }).textContent).toBe("Groups");
  });

  test("SHELL-15, OPEN-27: the Accounts group is open by default and can be closed", async () => {
    const { main, user } = await show();
    const group = main.getByRole("button", { name: "Accounts" });
    expect(group.getAttribute("aria-expanded")).toBe("true");
    expect(main.getByRole("link", { name: "Accounts" }).hasAttribute("aria-expanded")).toBe(false);
    await user.click(group);
    expect(group.getAttribute("aria-expanded")).toBe("false");
    await waitFor(() => expect(main.queryByRole("link", { name: "Safes" })).toBeNull());
  });

  test("SHELL-11: the slide-in sidebar has the same entries and closes when an entry is selected", async () => {
    const { user } = await show();
    await user.click(screen.getByRole("button", { name: "Open navigation" }));
    const drawer = await screen.findByRole("dialog", { name: "Navigation" });
    await user.click(within(drawer).getByRole("link", { name: "Integrations" }));
    expect(await screen.findByRole("heading", { name: "Integrations" })).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("dialog", { name: "Navigation" })).toBeNull());
  });

  test('SHELL-13, OPEN-31: System Status reads "All systems operational" when healthy, else names the problem', async () => {
    await show();
    expect(
      within(screen.getByRole("region", { name: "System Status" })).getByText(/./, { selector: "[role=status]" }),
    ).toBeTruthy();
    expect(await screen.findByText("All systems operational")).toBeTruthy();
    expect(
      statusNote(
        {
          ...HEALTH,
          status: "degraded",
          summary: "Degraded",
          checks: [{ name: "database", state: "failing", message: "The database is slow" }],
        },
        false,
      ),
    ).toEqual({
      tone: "bad",
      text: "The database is slow",
    });
    expect(statusNote({ ...HEALTH, status: "sealed", summary: "The vault is sealed" }, false).text).toBe(
      "The vault is sealed",
    );
    expect(statusNote(undefined, true).text).toBe("The server cannot be reached");
  });

  test("HTTP-15, OPEN-76: the health query is a background ping every 10 minutes while signed in", async () => {
    expect(KEEP_ALIVE_MS).toBe(600_000);
    await show();
    await waitFor(() => expect(api.requestsTo("GET /api/v1/health")[0]?.headers["x-background"]).toBe("1"));
    expect(api.requestsTo("GET /api/v1/health")[0]?.headers["cache-control"]).toBe("no-cache");
  });
});

describe("a database outage", () => {
  afterEach(() => {
    forgetTrouble();
    configureCalls({ wait });
  });

  test("shows a notice on every page, and failed requests are retried after recovery", async () => {
    let isAway = true;
    configureCalls({ wait: () => Promise.resolve() });
    api.on("GET /api/v1/notifications", () =>
      isAway
        ? problem(503, "database.unavailable", "The database cannot be reached. Try again shortly.")
        : { json: { notifications: [], unread: 3 } },
    );
    api.on("GET /api/v1/health/ready", () =>
      isAway ? problem(503, "health.not-ready", "The database cannot be reached") : { json: { status: "ready" } },
    );
    await show();
    await screen.findByText(/^The database cannot be reached\. This page retries automatically/);
    const status = within(screen.getByRole("region", { name: "System Status" }));
    expect(await status.findByText("The database cannot be reached.")).toBeTruthy();
    await waitFor(() => expect(api.requestsTo("GET /api/v1/notifications").length).toBe(6));
    isAway = false;
    await waitFor(() => expect(screen.queryByText(/^The database cannot/)).toBeNull(), { timeout: 3 * LOOK_AGAIN_MS });
    await waitFor(() => expect(api.requestsTo("GET /api/v1/notifications").length).toBe(7));
  });
});

describe("an unresponsive server", () => {
  const NOTICE = "The server is not responding. This page keeps retrying, and forms keep what you typed.";
  const LIST = "GET /api/v1/credentials";
  afterEach(() => recordResponse());

  test.each([
    ["cuts the connection", () => ({ isCut: true })],
    ["is silent", () => new Promise<never>(() => undefined)],
  ])(
    "shows a notice within seconds when the server %s, and pending requests succeed after recovery",
    async (_, gone) => {
      // Retries wait for their real delays, as in the app.
      configureCalls({ wait });
      let isGone = true;
      const health = { json: HEALTH };
      await show();
      api.on("GET /api/v1/health", () => (isGone ? gone() : health));
      api.on(LIST, () => (isGone ? gone() : { json: { data: [], next_cursor: null } }));
      const asked = call(listCredentials);
      expect(screen.queryByText(NOTICE)).toBeNull();
      await screen.findByText(NOTICE, {}, { timeout: 4 * REPORT_AFTER_MS });
      isGone = false;
      await waitFor(() => expect(screen.queryByText(NOTICE)).toBeNull(), { timeout: 5000 });
      // Does not wait for the next retry, which comes after 8 s or more. A request to a silent server is still pending.
      if ("isCut" in (await Promise.race([Promise.resolve(gone()), Promise.resolve({ isSilent: true })])))
        expect((await asked).data).toEqual([]);
      else void asked.catch(() => undefined);
    },
  );
});

describe("the top bar", () => {
  test('SHELL-19: the display name falls back to the email, then to "User"', () => {
    expect(displayName({ name: "Dana", email: "d@x" })).toBe("Dana");
    expect(displayName({ name: "", email: "d@x" })).toBe("d@x");
    expect(displayName({})).toBe("User");
  });

  test("SHELL-19, SHELL-20: shows the name and the capitalised role", async () => {
    await show();
    const bar = within(screen.getByRole("banner"));
    expect(bar.getByText("Dana Test")).toBeTruthy();
    expect(bar.getByText("Manager")).toBeTruthy();
  });

  test("SHELL-21, SHELL-22, SHELL-24, SHELL-25: Profile, Notifications, a separator, Settings, Help and Sign Out each lead to a real screen", async () => {
    const { user } = await show();
    const strip = screen.getByRole("navigation", { name: "User menu" });
    expect([...strip.children].map((child) => child.textContent || child.tagName)).toEqual([
      "Profile",
      "Notifications",
      "HR",
      "Settings",
      "Help",
      "Sign Out",
    ]);
    for (const name of ["Profile", "Settings", "Help"]) {
      await user.click(within(strip).getByRole("link", { name }));
      expect(await screen.findByRole("heading", { level: 1, name })).toBeTruthy();
    }
  });

  test("SHELL-23, NOTIF-01: the Notifications bell links to the notifications page", async () => {
    const { user } = await show();
    await user.click(screen.getByRole("button", { name: /^Notifications/ }));
    await user.click(await screen.findByRole("link", { name: "Open Notifications" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Notifications" })).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("link", { name: "Open Notifications" })).toBeNull());
  });

  test("SHELL-26, SHELL-27: Sign Out ends the session, shows a toast and goes to /login", async () => {
    const { user, router } = await show();
    await user.click(screen.getByRole("button", { name: "Sign Out" }));
    expect(await screen.findByText("Signed out successfully")).toBeTruthy();
    await waitFor(() => expect(router.state.location.pathname).toBe("/login"));
    expect(currentSession().status).toBe("signed-out");
  });

  test("SHELL-27: Sign Out works when the server cannot be reached", async () => {
    api.on("POST /api/v1/auth/logout", problem(500, "internal", "Broken"));
    const { user, router } = await show();
    await user.click(screen.getByRole("button", { name: "Sign Out" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/login"));
  });

  test('SHELL-28: a sign-out that fails in the browser shows "Failed to sign out"', async () => {
    const { user } = await show();
    vi.spyOn(Storage.prototype, "removeItem").mockImplementation(() => {
      throw new Error("storage is locked");
    });
    await user.click(screen.getByRole("button", { name: "Sign Out" }));
    expect(await screen.findByText("Failed to sign out")).toBeTruthy();
  });

  test("SHELL-18, OPEN-28: the / key focuses the search box", async () => {
    const { user } = await show("/settings");
    await user.keyboard("/");
    expect(document.activeElement).toBe(screen.getByPlaceholderText("Search credentials, sessions, users..."));
  });
});

describe("live events", () => {
  test("a revocation event for the current session signs the user out", async () => {
    const { router } = await show();
    await api.sendEvent({
      id: "1",
      timestamp: "2026-01-01T00:00:00.000Z",
      type: "session.ended",
      data: { session_id: "22222222-2222-4222-8222-222222222222" },
    });
    await waitFor(() => expect(router.state.location.pathname).toBe("/auth"));
  });

  test("Notifications lists this visit's events, newest first, and clears them on request", async () => {
    const { user } = await show("/notifications");
    expect(await screen.findByText("No events")).toBeTruthy();
    const verified = (id: string, name: string, outcome: Outcome): LiveEvent => ({
      id,
      timestamp: new Date().toISOString(),
      type: "verification.completed",
      data: {
        credential_id: CredentialId.parse("33333333-3333-4333-8333-333333333333"),
        name,
        outcome,
        message: "Said the system",
        is_alarm: false,
      },
    });
    await api.sendEvent(verified("1", "db-1", "verified"));
    await api.sendEvent(verified("2", "db-2", "rejected"));
    const list = within(await screen.findByRole("list", { name: "Live events" }));
    expect(list.getAllByRole("link").map(({ textContent }) => textContent)).toEqual([
      "db-2 rejected by its system",
      "db-1 verified",
    ]);
    await user.click(screen.getByRole("button", { name: "Clear" }));
    expect(screen.getByText("No events")).toBeTruthy();
  });
});

test("a new page starts scrolled to the top with the focus on it", async () => {
  const { main, user } = await show();
  await user.click(main.getByRole("link", { name: "Integrations" }));
  await screen.findByRole("heading", { name: "Integrations" });
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

describe("while the account is waiting for activation", () => {
  const session = (is_pending: boolean) => ({
    json: {
      user: TEST_USER,
      session_id: "22222222-2222-4222-8222-222222222222",
      is_pending,
      expires_at: "2100-01-01T00:00:00.000Z",
      limits: { timeout_minutes: 30, warning_minutes: 5, privileged_timeout_minutes: 15 },
    },
  });

  test("the shell shows a notice and the pages that work, and redirects every other page to the vault", async () => {
    api.on("GET /api/v1/auth/session", session(true));
    const { router } = await show("/help");
    expect(await screen.findByText("Your account is waiting for activation.")).toBeTruthy();
    const links = within(screen.getByRole("navigation", { name: "Main" })).getAllByRole("link");
    expect(links.map((link) => link.textContent)).toEqual(["Credential Vault"]);
    expect(screen.queryByRole("search", { name: "Global" })).toBeNull();
    expect(router.state.location.pathname).toBe("/help");
    await router.navigate("/safes");
    await waitFor(() => expect(router.state.location.pathname).toBe("/vault"));
  });

  test("an active account sees no such notice", async () => {
    api.on("GET /api/v1/auth/session", session(false));
    await show("/help");
    await waitFor(() => expect(api.requestsTo("GET /api/v1/auth/session").length).toBeGreaterThan(0));
    expect(screen.queryByText("Your account is waiting for activation.")).toBeNull();
  });
});
