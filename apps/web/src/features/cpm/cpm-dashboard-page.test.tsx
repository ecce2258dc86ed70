import type { AttentionItem, CpmStatus } from "@strongroom/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { paths } from "#shared/paths.ts";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import CpmDashboardPage from "./cpm-dashboard-page.tsx";

const STATUS = "GET /api/v1/cpm/status";
const ATTENTION = "GET /api/v1/cpm/credentials/attention";
const RUN = "POST /api/v1/cpm/verify";
const RUN_ID = "44444444-4444-4444-8444-444444444444";

const aStatus = (more: Partial<CpmStatus> = {}): CpmStatus => ({
  status: "healthy",
  verifiedCredentials: 7,
  totalCredentials: 12,
  failedCredentials: 3,
  rejectedCredentials: 2,
  unreachableCredentials: 1,
  misconfiguredCredentials: 0,
  untestedCredentials: 1,
  pendingCredentials: 2,
  activeJobs: 4,
  systemUptime: 12_000,
  lastVerificationRun: new Date(Date.now() - 5 * 60_000).toISOString(),
  nextScheduledRun: new Date(Date.now() + 130 * 60_000).toISOString(),
  ...more,
});

const anItem = (n: number, severity: AttentionItem["severity"] = "high"): AttentionItem => ({
  id: `00000000-0000-4000-8000-00000000000${n}`,
  is_account: n === 2,
  name: `Service ${n}`,
  severity,
  status: null,
  reason: `reason ${n}`,
  lastAttempt: null,
});

const attentionOf = (...credentials: AttentionItem[]) => ({ json: { credentials, total: credentials.length } });

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ [STATUS]: { json: aStatus() }, [ATTENTION]: attentionOf() });
});
afterEach(async () => {
  vi.useRealTimers();
  await api.close();
});

const tile = (label: string) => screen.findByRole("article", { name: label });

describe("the CPM dashboard", () => {
  test("CPM-01 to CPM-05: shows heading, buttons, tiles and system information", async () => {
    renderScreen(<CpmDashboardPage />, { at: paths.cpmDashboard });
    expect(paths.cpmDashboard).toBe("/cpm-dashboard");
    expect((await tile("Verified")).textContent).toContain("7of 12");
    expect((await tile("Failed")).textContent).toContain("3need attention");
    expect((await tile("Pending")).textContent).toContain("2in queue");
    expect(screen.getByRole("heading", { level: 1, name: "CPM Dashboard" })).toBeTruthy();
    expect(screen.getByText("Credential Protection Management System Status")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Refresh" })).toBeTruthy();
    const facts = within(screen.getByRole("region", { name: "System Information" }));
    const labels = facts.getAllByRole("term").map(({ textContent }) => textContent);
    expect(labels).toEqual(["Active Jobs", "System Uptime", "Last Run", "Next Scheduled"]);
    const read = facts.getAllByRole("definition").map(({ textContent }) => textContent);
    expect(read).toEqual(["4", "3h 20m", "5m ago", "In 2h 9m"]);
  });

  test.each([
    ["healthy", "Verified"],
    ["warning", "Pending"],
    ["failed", "Failed"],
  ] as const)("CPM-10: %s has the badge %s", async (status, badge) => {
    api.on(STATUS, { json: aStatus({ status }) });
    renderScreen(<CpmDashboardPage />);
    expect(within(await tile("System Status")).getByText(badge, { selector: "[data-tone]" })).toBeTruthy();
  });

  test("CPM-08: says that no credential needs attention", async () => {
    renderScreen(<CpmDashboardPage />);
    expect(await screen.findByText("All credentials are healthy")).toBeTruthy();
  });

  test("CPM-06, CPM-07, CPM-11, CPM-12, OPEN-60, OPEN-61: shows the five most severe with their badges, and a link to all", async () => {
    const items = [anItem(1), anItem(2, "medium"), ...[3, 4, 5, 6, 7].map((n) => anItem(n))];
    api.on(ATTENTION, attentionOf(...items));
    const { user } = renderScreen(<CpmDashboardPage />);
    const rows = within(await screen.findByRole("list", { name: "Credentials Needing Attention" })).getAllByRole(
      "listitem",
    );
    expect(rows).toHaveLength(5);
    expect(within(rows[0]!).getByText("Failed")).toBeTruthy();
    expect(within(rows[0]!).getByText("reason 1")).toBeTruthy();
    expect(within(rows[1]!).getByText("Pending")).toBeTruthy();
    const leads = rows.map((row) => within(row).getByRole("link").getAttribute("href"));
    expect(leads.slice(0, 2)).toEqual([`/vault/${items[0]!.id}`, `/accounts/${items[1]!.id}`]);
    await user.click(screen.getByRole("link", { name: "View all 7 alerts" }));
    expect(screen.getByTestId("address").textContent).toBe("/validation-dashboard?tab=accounts&view=failures");
  });

  test("CPM-16: shows a failed load with its reason and Retry", async () => {
    api.on(STATUS, problem(500, "internal", "The database is away."));
    const { user } = renderScreen(<CpmDashboardPage />);
    const text = "Failed to load CPM dashboard data: The database is away.";
    expect(await screen.findAllByText(text)).toHaveLength(2);
    api.on(STATUS, { json: aStatus() });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await tile("Verified")).toBeTruthy();
  });

  test("CPM-17: Refresh reloads the dashboard and confirms that it did", async () => {
    const { user } = renderScreen(<CpmDashboardPage />);
    await tile("Verified");
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    expect(await screen.findByText("Dashboard refreshed")).toBeTruthy();
    expect(api.requestsTo(STATUS)).toHaveLength(2);
    expect(api.requestsTo(ATTENTION)).toHaveLength(2);
  });

  test("CPM-13, OPEN-64: reloads the dashboard every 30 seconds", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    renderScreen(<CpmDashboardPage />);
    await tile("Verified");
    await act(() => vi.advanceTimersByTimeAsync(30_000));
    await waitFor(() => expect(api.requestsTo(STATUS)).toHaveLength(2));
  });

  test("CPM-14, CPM-18: starts, follows and stops a run, and reloads 2 seconds after its start", async () => {
    const run = { id: RUN_ID, total: 12, done: 5, verified: 4, failed: 1 };
    const times = { started_at: "2026-01-01T00:00:00.000Z", completed_at: null };
    api.on(RUN, { status: 202, json: { run_id: RUN_ID, queued: 12, message: "Queued" } });
    api.on("GET /api/v1/verification/runs/:id", { json: { ...run, ...times, status: "running" } });
    api.on("POST /api/v1/verification/runs/:id/cancel", { json: { ...run, ...times, status: "cancelled" } });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { user } = renderScreen(<CpmDashboardPage />);
    await tile("Verified");
    await user.click(screen.getByRole("button", { name: "Run Verification" }));
    expect(await screen.findByText("Global verification process initiated")).toBeTruthy();
    expect(await screen.findByText(/5 of 12 done · 4 verified · 1 failed/)).toBeTruthy();
    expect(api.requestsTo(STATUS)).toHaveLength(1);
    await act(() => vi.advanceTimersByTimeAsync(2_000));
    await waitFor(() => expect(api.requestsTo(STATUS)).toHaveLength(2));
    await user.click(screen.getByRole("button", { name: "Stop" }));
    expect(await screen.findByText("Verification stopped")).toBeTruthy();
  });

  test("CPM-19: shows why a run could not start", async () => {
    api.on(RUN, problem(403, "forbidden", "Not allowed."));
    const { user } = renderScreen(<CpmDashboardPage />);
    await user.click(await screen.findByRole("button", { name: "Run Verification" }));
    expect(await screen.findByText("Failed to trigger verification: Not allowed.")).toBeTruthy();
  });
});
