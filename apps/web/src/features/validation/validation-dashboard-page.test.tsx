import { DashboardPreferences, NotificationPreferences } from "@strongroom/contract";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, type TestApi } from "#app/testing/api-server.ts";
import { TEST_USER, signInForTest } from "#app/testing/sign-in.ts";
import { connectLiveEvents } from "#shared/events/live-events.ts";
import { streamsOfTest } from "#shared/events/testing/stream-of-test.ts";
import { toast } from "#shared/ui/toast.ts";
import { aFailure, aSession, aSystem, anAttempt, anEvent, figures } from "./testing/figures.ts";
import {
  ATTEMPTS,
  DASHBOARD,
  FAILURES,
  HEALTH,
  SEARCH,
  SESSIONS,
  dashboardApi,
  failuresOf,
  openDashboard,
  tabNamed,
} from "./testing/open-dashboard.tsx";
import { dashboardPreferences, notificationPreferences } from "./validation.queries.ts";

let api: TestApi;
beforeEach(async () => {
  toast.dismiss();
  signInForTest();
  api = await dashboardApi();
});
afterEach(() => api.close());

const card = (label: string) => screen.findByRole("article", { name: label });

const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

describe("the header of the Validation Dashboard", () => {
  test("VAL-01, VAL-02, VAL-03, VAL-06 to VAL-09, OPEN-136: shows title, connection, buttons, cards and tabs with badges", async () => {
    openDashboard();
    await screen.findByText("40");
    expect((await card("Success Rate")).textContent).toContain("80%");
    expect((await card("Active JIT Sessions")).textContent).toContain("7");
    expect((await card("Critical Issues")).textContent).toContain("1");
    expect(screen.getByRole("heading", { level: 1, name: "Validation Dashboard" })).toBeTruthy();
    expect(screen.getByText("Offline")).toBeTruthy();
    for (const name of ["Refresh the dashboard", "Export", /^Notifications/, "Dashboard Settings"]) {
      expect(screen.getByRole("button", { name })).toBeTruthy();
    }
    expect(screen.getAllByRole("tab").map(({ textContent }) => textContent)).toEqual([
      "Overview",
      "Account Validation3",
      "JIT Sessions2",
      "Audit Trail",
      "Advanced Search",
    ]);
  });

  test("VAL-05, VAL-49: choosing a range reloads the figures and updates the address", async () => {
    const { user, router } = openDashboard();
    await screen.findByText("40");
    expect(api.requestsTo(DASHBOARD)[0]?.query.get("range")).toBe("24h");
    await user.click(within(screen.getByRole("radiogroup", { name: "Time range" })).getByText("7d"));
    await waitFor(() => expect(api.requestsTo(DASHBOARD).at(-1)?.query.get("range")).toBe("7d"));
    expect(router.state.location.search).toBe("?range=7d");
  });

  test("VAL-48, OPEN-135: reloads the figures every 30 s until auto-refresh is turned off", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      const { queryClient } = openDashboard();
      await screen.findByText("40");
      const asked = () => api.requestsTo(DASHBOARD).length;
      await passes(20_000);
      expect(asked()).toBe(1);
      await passes(10_000);
      await waitFor(() => expect(asked()).toBe(2));
      await passes(30_000);
      await waitFor(() => expect(asked()).toBe(3));
      act(
        () =>
          void queryClient.setQueryData(
            dashboardPreferences.queryKey,
            DashboardPreferences.parse({ autoRefresh: false }),
          ),
      );
      await passes(120_000);
      expect(asked()).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });

  test("VAL-63, OPEN-140: shows figures that failed to load in a quiet banner with Retry", async () => {
    api.on(DASHBOARD, problem(500, "internal", "The database is away."));
    const { user } = openDashboard();
    expect(await screen.findByText("The figures could not be loaded. The database is away.")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    api.on(DASHBOARD, { json: figures });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    await waitFor(async () => expect((await card("Total Accounts")).textContent).toContain("40"));
  });

  test("VAL-04: shows the latest event from the most recent attempt", async () => {
    api.on(ATTEMPTS, { json: { attempts: [anAttempt(1)], total: 1, next_cursor: null } });
    openDashboard();
    expect(await screen.findByText(/^Latest event: Validation completed, Account 1/)).toBeTruthy();
  });
});

describe("without a live connection", () => {
  test("VAL-55 to VAL-58, OPEN-135: after five failed reconnects, shows a notice for 5 s and polls ten attempts every 15 s", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const told = vi.spyOn(toast, "custom");
    const streams = streamsOfTest();
    const stop = connectLiveEvents({ userId: TEST_USER.id, onGap: () => {}, open: streams.open, sharing: null });
    try {
      openDashboard();
      await screen.findByText("40");
      for (const pause of [1, 2, 4, 8, 16]) {
        act(() => streams.latest().onEnd());
        await act(() => vi.advanceTimersByTimeAsync(pause * 1000));
      }
      expect(streams.all).toHaveLength(6);
      const text = "Real-time monitoring unavailable. Dashboard will refresh periodically.";
      expect(screen.queryByText(text)).toBeNull();
      act(() => streams.latest().onEnd());
      expect(await screen.findByText(text)).toBeTruthy();
      expect(told).toHaveBeenCalledWith(text, expect.objectContaining({ duration: 5_000 }));
      const polls = () => api.requestsTo(ATTEMPTS).filter(({ query }) => query.get("limit") === "10").length;
      await waitFor(() => expect(polls()).toBe(2));
      await passes(15_000);
      await waitFor(() => expect(polls()).toBe(3));
    } finally {
      stop();
      told.mockRestore();
      vi.useRealTimers();
    }
  });
});

test.each([
  ["tells a success that was asked for elsewhere to who wants that", true],
  ["keeps it to its lists for everybody else", false],
])("VAL-47, VAL-50: the dashboard %s", async (_, enableSuccessNotifications) => {
  api.on("GET /api/v1/user/preferences/notifications", {
    json: NotificationPreferences.parse({ enableSuccessNotifications }),
  });
  const { queryClient } = openDashboard();
  await screen.findByText("40");
  await waitFor(() => expect(queryClient.getQueryData(notificationPreferences.queryKey)).toBeTruthy());
  const streams = streamsOfTest();
  const stop = connectLiveEvents({ userId: TEST_USER.id, onGap: () => {}, open: streams.open, sharing: null });
  try {
    const complete = (id: string) => {
      const event = anEvent(id, "validation_completed", { asked_by: TEST_USER.id as never });
      act(() => streams.latest().onFrame({ id, event: event.type, data: JSON.stringify(event) }));
    };
    complete("e0");
    expect(await screen.findByText(/^Latest event: Validation completed, Account 1/)).toBeTruthy();
    const told = () => screen.queryByText("Account validation successful: Account 1");
    let count = 0;
    if (!enableSuccessNotifications) expect(told()).toBeNull();
    // The preferences are loaded, but the page may render them a moment later.
    else await waitFor(() => (complete(`e${(count += 1)}`), expect(told()).not.toBeNull()));
  } finally {
    stop();
  }
});

describe("the overview tab", () => {
  test("VAL-10, VAL-11, VAL-13: shows its parts, and the matrix with its own range", async () => {
    const { user } = openDashboard();
    for (const name of ["Status Distribution", "JIT Account Health", "System Health Matrix"]) {
      expect(await screen.findByRole("region", { name })).toBeTruthy();
    }
    expect((await card("Average Validation Time")).textContent).toContain("1.24 s");
    expect(await screen.findByText("No system health data available")).toBeTruthy();
    await user.click(within(screen.getByRole("radiogroup", { name: "Time range of the matrix" })).getByText("30d"));
    await waitFor(() => expect(api.requestsTo(HEALTH).at(-1)?.query.get("range")).toBe("30d"));
    expect(api.requestsTo(DASHBOARD).every(({ query }) => query.get("range") === "24h")).toBe(true);
  });

  test("VAL-12: shows five systems, and all on request", async () => {
    api.on(HEALTH, { json: { systems: Array.from({ length: 7 }, (_, n) => aSystem(n)) } });
    const { user } = openDashboard();
    const list = await screen.findByRole("list", { name: "Systems" });
    expect(within(list).getAllByRole("listitem")).toHaveLength(5);
    await user.click(screen.getByRole("button", { name: "Show All 7" }));
    expect(within(list).getAllByRole("listitem")).toHaveLength(7);
  });

  test("VAL-12: shows five failures, five live events, and five rows of both Account Validation lists", async () => {
    const seven = Array.from({ length: 7 }, (_, n) => n);
    api.on(FAILURES, failuresOf(...seven.map((n) => aFailure(n))));
    api.on(ATTEMPTS, { json: { attempts: seven.map((n) => anAttempt(n)), total: 7, next_cursor: null } });
    const rowsIn = async (name: string) => within(await screen.findByRole("list", { name })).getAllByRole("listitem");
    const { user, router } = openDashboard();
    expect(await rowsIn("Validation failures")).toHaveLength(5);
    expect(await rowsIn("Live events")).toHaveLength(5);
    expect(screen.getByRole("button", { name: "Show All 7" })).toBeTruthy();
    await act(() => router.navigate("/validation-dashboard?tab=accounts"));
    expect(await rowsIn("Validation attempts")).toHaveLength(5);
    expect(await rowsIn("Validation failures")).toHaveLength(5);
    await user.click(await tabNamed("Failures (7)"));
    expect(await rowsIn("Validation failures")).toHaveLength(7);
  });

  test("each chart offers its data as a table", async () => {
    const { user } = openDashboard();
    const trend = within(await screen.findByRole("region", { name: "Validation Trend" }));
    await user.click(trend.getByText("Table"));
    const cells = trend.getAllByRole("cell").map(({ textContent }) => textContent);
    expect(cells).toEqual(["16", "3", "1", "80%"]);
  });

  test("VAL-47: shows only the chosen widgets", async () => {
    api.on("GET /api/v1/user/preferences/dashboard", {
      json: DashboardPreferences.parse({ visibleWidgets: ["distribution"] }),
    });
    openDashboard();
    expect(await screen.findByRole("region", { name: "Status Distribution" })).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("region", { name: "System Health Matrix" })).toBeNull());
  });
});

describe("the JIT sessions tab", () => {
  const answer = (...sessions: ReturnType<typeof aSession>[]) => ({
    json: { sessions, total: sessions.length, with_issues: sessions.length, next_cursor: null },
  });

  test("VAL-31: shows an empty state without active sessions", async () => {
    openDashboard("?tab=jit");
    expect(await screen.findByText("No Active JIT Sessions")).toBeTruthy();
  });

  test("VAL-26 to VAL-29: shows three accounts and the number of others, and all accounts in the details", async () => {
    api.on(SESSIONS, answer(aSession(5)));
    const { user } = openDashboard("?tab=jit");
    const session = within(await screen.findByRole("article", { name: "Nightly batch" }));
    expect(session.getByText("+2 more")).toBeTruthy();
    expect(session.queryByText("Account 3")).toBeNull();
    expect(screen.getByText("1 session with issues")).toBeTruthy();
    await user.click(session.getByRole("button", { name: "Details of Nightly batch" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Nightly batch" }));
    expect(dialog.getAllByRole("region")).toHaveLength(5);
    expect(dialog.getByText("The server said no")).toBeTruthy();
  });

  test("VAL-53: reloads the sessions 2 s after a validation started, even if it still runs", async () => {
    api.on(SESSIONS, answer(aSession(1)));
    const end = Promise.withResolvers<object>();
    api.on("POST /api/v1/accounts/:id/validate", async () => ({ json: await end.promise }));
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      openDashboard("?tab=jit");
      const button = await screen.findByRole("button", { name: "Validate Account 0" });
      expect(api.requestsTo(SESSIONS)).toHaveLength(1);
      fireEvent.click(button);
      expect(api.requestsTo(SESSIONS)).toHaveLength(1);
      await passes(2_000);
      await waitFor(() => expect(api.requestsTo(SESSIONS)).toHaveLength(2));
      expect(screen.getByRole("button", { name: "Validating Account 0" })).toHaveProperty("disabled", true);
    } finally {
      end.resolve({});
      vi.useRealTimers();
    }
  });

  test("VAL-30, VAL-53, VAL-65, VAL-66: validates an account that is not verified, with progress, toasts and reload", async () => {
    const end = Promise.withResolvers<object>();
    api.on(SESSIONS, answer(aSession(2)));
    api.on("POST /api/v1/accounts/:id/validate", async () => ({ json: await end.promise }));
    const { user } = openDashboard("?tab=jit");
    await user.click(await screen.findByRole("button", { name: "Validate Account 0" }));
    expect(screen.queryByRole("button", { name: "Validate Account 1" })).toBeNull();
    expect(await screen.findByRole("button", { name: "Validating Account 0" })).toHaveProperty("disabled", true);
    expect(await screen.findByText("Validating account: Account 0")).toBeTruthy();
    const before = api.requestsTo(SESSIONS).length;
    end.resolve({
      success: true,
      validation_status: "valid",
      validation_timestamp: "2026-01-01T10:00:00.000Z",
      validation_message: "It works",
      outcome: "verified",
    });
    expect(await screen.findByText("Account validation successful: Account 0")).toBeTruthy();
    await waitFor(() => expect(api.requestsTo(SESSIONS).length).toBeGreaterThan(before));
  });
});

describe("the other tabs of the Validation Dashboard", () => {
  test("AUDIT-01, AUDIT-12, OPEN-132: shows the audit trail with its title and empty state", async () => {
    signInForTest({ role: "manager" });
    api.on("GET /api/v1/audit", { json: { logs: [], next_cursor: null } });
    api.on("GET /api/v1/audit/counts", { json: { total: 0, successful: 0, failed: 0, jit: 0, is_exact: true } });
    openDashboard("?tab=audit");
    expect(await screen.findByRole("heading", { name: "Enhanced Audit Trail" })).toBeTruthy();
    expect(await screen.findByText("No audit logs found")).toBeTruthy();
  });

  test("users without permission see an explanation instead of the audit trail", async () => {
    openDashboard("?tab=audit");
    expect(await screen.findByText("Only managers and administrators can read the whole audit trail.")).toBeTruthy();
  });

  test("VAL-32, VAL-33, FILTER-08, OPEN-129: searches on the server, and Clear All Filters resets the search", async () => {
    api.on(SEARCH, { json: { results: [], total: 0, next_cursor: null } });
    const { user, router } = openDashboard("?tab=search");
    expect(await screen.findByText("Search results will appear here")).toBeTruthy();
    await user.type(screen.getByLabelText("Text"), "batch");
    await user.click(screen.getByLabelText("Recent failures (24h)"));
    await user.click(screen.getByText("Apply Filters"));
    expect(await screen.findByText("No results")).toBeTruthy();
    expect(api.requestsTo(SEARCH)[0]?.body).toMatchObject({ filter: { text: "batch", recent_failures: true } });
    expect(screen.getByText("2 filters applied")).toBeTruthy();
    await user.click(screen.getByText("Collapse"));
    await user.click(screen.getByText("Expand"));
    await user.click(screen.getByText("Clear All Filters"));
    expect(await screen.findByText("Search results will appear here")).toBeTruthy();
    expect(router.state.location.search).toBe("?tab=search");
  });
});
