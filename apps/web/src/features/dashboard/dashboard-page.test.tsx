import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type ApiAnswer, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { SAMPLE_DATA } from "#shared/ui/states.tsx";
import DashboardPage from "./dashboard-page.tsx";

const STATS = "GET /api/v1/dashboard/stats";
const ALERTS = "GET /api/v1/dashboard/alerts";
const SETUP = "GET /api/v1/dashboard/setup";
const REQUESTS = "GET /api/v1/jit";
const HISTORY = "GET /api/v1/validation/history";

const stats = {
  totalCredentials: 1204,
  activeSessions: 5,
  privilegedUsers: 2,
  complianceScore: 91,
  complianceFormula: "Verified within 30 days: 1,096 of 1,204",
};
const alert = {
  id: "1",
  message: "The host key of db01 has changed",
  severity: "critical",
  timestamp: new Date(Date.now() - 5 * 60_000).toISOString(),
  link: "/vault/1",
  advice: "Compare the fingerprint.",
};
const statistics = {
  total_accounts: 10,
  verified: 6,
  pending: 1,
  failed: 2,
  rejected: 1,
  unreachable: 1,
  misconfigured: 0,
  never_validated: 1,
  success_rate: 80,
  last_24h_attempts: 5,
  last_24h_successes: 4,
  last_24h_failures: 1,
  average_validation_time: 120,
};
const attempt = (n: number) => ({
  id: `33333333-3333-4333-8333-3333333333${String(n).padStart(2, "0")}`,
  account_id: "33333333-3333-4333-8333-333333333333",
  is_account: true,
  account_name: `Account ${n}`,
  hostname: "db01.internal",
  username: "app",
  system_type: "postgresql",
  verification_method: "login",
  status: n === 0 ? "rejected" : "verified",
  error_category: null,
  error_message: n === 0 ? "Wrong password" : null,
  started_at: "2026-11-21T10:00:00.000Z",
  duration_ms: 100,
  triggered_by: "schedule",
});

const recent = {
  id: "44444444-4444-4444-8444-444444444444",
  name: "root on web1",
  hostname_ip: "web1.internal",
  username: "root",
  system_type: "Linux",
  safe_name: "Web",
  used_at: new Date(Date.now() - 3_600_000).toISOString(),
};
const week = {
  range: "7d",
  generated_at: "2026-11-21T10:00:00.000Z",
  validation_statistics: {
    ...statistics,
    average_validation_time: null,
    success_rate: 80,
    weekly_trend: [
      { date: "2026-11-19", attempts: 3, successes: 3, failures: 0, rejections: 0, success_rate: 100 },
      { date: "2026-11-20", attempts: 2, successes: 1, failures: 1, rejections: 1, success_rate: 50 },
    ],
    daily_validations: 2.5,
    critical_failures: 0,
  },
  status_distribution: [],
  jit_health: {
    active_sessions: 0,
    sessions_with_validation_issues: 0,
    expiring_sessions_with_failures: 0,
    jit_validation_success_rate: null,
    average_jit_validation_time: null,
  },
  systems: [],
};

/** One request of another user that the caller can decide, and one active grant of the caller. */
const asked = {
  id: "55555555-5555-4555-8555-555555555555",
  account_id: recent.id,
  resource: "root on db1",
  system: null,
  user_id: "66666666-6666-4666-8666-666666666666",
  username: "Olga",
  user_email: "olga@example.com",
  business_justification: "The disk is full",
  ticket: "CHG-1",
  duration_minutes: 120,
  status: "pending",
  computed_status: "pending",
  created_at: "2026-11-21T09:00:00.000Z",
  starts_at: null,
  expires_at: null,
  time_remaining: null,
  approved_by: null,
  decisions: [],
  approval: null,
  pending_extension_minutes: null,
  ended_at: null,
  ended_because: null,
  riskLevel: "medium",
  is_break_glass: false,
  review: null,
  needs_review: false,
  can: ["approve", "deny"],
};
const granted = {
  ...asked,
  id: "77777777-7777-4777-8777-777777777777",
  status: "active",
  computed_status: "active",
  expires_at: new Date(Date.now() + 90 * 60_000).toISOString(),
  can: ["connect", "revoke"],
};
let canDecide = true;
function requestsFor(query: URLSearchParams) {
  const isMine = query.get("mine") === "true";
  const own = query.get("status") === "active" ? [granted] : [];
  const all = canDecide ? [asked] : [{ ...asked, can: [] }];
  return {
    json: { requests: isMine ? own : all, next_cursor: null, counts: { pending: 9, active: 1, history: 0 } },
  };
}

let api: TestApi;
beforeEach(async () => {
  canDecide = true;
  signInForTest();
  api = await startApi({
    [STATS]: { json: stats },
    [ALERTS]: { json: { alerts: [alert] } },
    [HISTORY]: { json: { data: [attempt(0), attempt(1)] } },
    "GET /api/v1/validation/statistics": { json: statistics },
    [REQUESTS]: (request) => requestsFor(request.query),
    "GET /api/v1/dashboard/rotations": {
      json: { days: [{ date: "2026-11-20", rotated: 3, other: 1 }], stopped: 2, due: 7 },
    },
    "GET /api/v1/dashboard/recent-accounts": { json: { accounts: [recent] } },
    "GET /api/v1/validation/dashboard": { json: week },
    [SETUP]: { json: { steps: [] } },
    "GET /api/v1/audit": { json: { logs: [], next_cursor: null } },
    "GET /api/v1/user/preferences/dashboard": { json: { autoRefresh: false, notifications: {} } },
  });
});
afterEach(() => api.close());

async function openDashboard() {
  const view = renderScreen(<DashboardPage />);
  await screen.findByRole("article", { name: "Total Credentials" });
  return view;
}

const figure = (label: string): string =>
  within(screen.getByRole("article", { name: label })).getByRole("paragraph").textContent ?? "";

const broken: ApiAnswer = problem(500, "internal", "The database is away.");

describe("the dashboard", () => {
  test("DASH-01, DASH-02: greets the user by name", async () => {
    await openDashboard();
    expect(screen.getByRole("heading", { level: 1, name: "Dashboard" })).toBeTruthy();
    expect(screen.getByText(/^Welcome back, Dana Test\./)).toBeTruthy();
  });

  test("DASH-03: shows four figures, with the score in percent", async () => {
    await openDashboard();
    expect(figure("Total Credentials")).toBe((1204).toLocaleString());
    expect(figure("Active Sessions")).toBe("5");
    expect(figure("Privileged Users")).toBe("2");
    expect(figure("Compliance Score")).toBe("91%");
    expect(screen.queryByText(SAMPLE_DATA)).toBeNull();
  });

  test("OPEN-41: shows the formula of the score on hover and on focus", async () => {
    const { user } = await openDashboard();
    const sign = screen.getByRole("button", { name: "How Compliance Score is calculated" });
    await user.hover(sign);
    expect((await screen.findByRole("tooltip")).textContent).toBe(stats.complianceFormula);
    await user.unhover(sign);
    await waitFor(() => expect(screen.queryByRole("tooltip")).toBeNull());
    sign.focus();
    expect((await screen.findByRole("tooltip")).textContent).toBe(stats.complianceFormula);
  });

  test("DASH-04, DASH-05: counts the alerts and shows each with severity, time and link", async () => {
    await openDashboard();
    const alerts = within(screen.getByRole("region", { name: "Critical Alerts" }));
    expect(alerts.getByTitle("Number of alerts").textContent).toBe("1");
    expect(alerts.getByText("Critical")).toBeTruthy();
    expect(alerts.getByText("5m ago")).toBeTruthy();
    expect(alerts.getByRole("link", { name: alert.message }).getAttribute("href")).toBe("/vault/1");
  });

  test("shows no samples when there are no alerts", async () => {
    api.on(ALERTS, { json: { alerts: [] } });
    await openDashboard();
    expect(screen.getByText("No alerts")).toBeTruthy();
    expect(screen.queryByText(/Sample/)).toBeNull();
  });

  test("DASH-06: shows a loading state", async () => {
    let release = () => {};
    api.on(STATS, () => new Promise((resolve) => (release = () => resolve({ json: stats }))));
    renderScreen(<DashboardPage />);
    expect(await screen.findByText("Securing your dashboard...")).toBeTruthy();
    await waitFor(() => expect(api.requestsTo(STATS)).toHaveLength(1));
    release();
    await screen.findByRole("article", { name: "Total Credentials" });
  });

  test("DASH-07, DASH-11, DASH-12, OPEN-43: failed calls show the reason and, below it, samples", async () => {
    api.on(STATS, broken);
    api.on(ALERTS, broken);
    const { user } = await openDashboard();
    expect(screen.getByText("The database is away.")).toBeTruthy();
    expect(screen.getAllByText(SAMPLE_DATA)).toHaveLength(1);
    expect(figure("Total Credentials")).toBe("12");
    expect(figure("Active Sessions")).toBe("3");
    expect(figure("Privileged Users")).toBe("8");
    expect(figure("Compliance Score")).toBe("98%");
    expect(screen.getAllByText(/^Sample alert: /)).toHaveLength(2);

    api.on(STATS, { json: stats });
    api.on(ALERTS, { json: { alerts: [alert] } });
    await user.click(screen.getAllByRole("button", { name: "Retry" })[0] as HTMLElement);
    await waitFor(() => expect(figure("Active Sessions")).toBe("5"));
    await waitFor(() => expect(screen.queryByText(SAMPLE_DATA)).toBeNull());
    expect(screen.queryByText(/^Sample alert/)).toBeNull();
  });

  test("when only the alerts fail to load, shows real figures and sample alerts", async () => {
    api.on(ALERTS, broken);
    await openDashboard();
    expect(figure("Active Sessions")).toBe("5");
    expect(screen.getAllByText(/^Sample alert: /)).toHaveLength(2);
    expect(screen.getByText(SAMPLE_DATA)).toBeTruthy();
  });

  test("DASH-13: takes the number of verified secrets from the validation statistics", async () => {
    await openDashboard();
    const card = within(await screen.findByRole("region", { name: "Verification" }));
    expect(card.getByText(/^80% of 5 verifications in the last 24 hours succeeded$/)).toBeTruthy();
    expect(card.getByText("Verified", { selector: "dt" }).nextElementSibling?.textContent).toBe("6");
    expect(card.getByText("Rejected", { selector: "dt" }).nextElementSibling?.textContent).toBe("1");
    expect(card.getByText("Unreachable", { selector: "dt" }).nextElementSibling?.textContent).toBe("1");
  });

  test("DASH-13: marks zeros that no source reported", async () => {
    api.on("GET /api/v1/validation/statistics", broken);
    await openDashboard();
    const card = within(await screen.findByRole("region", { name: "Verification" }));
    expect(card.getByText(/these zeros are placeholders/)).toBeTruthy();
    expect(api.requestsTo("GET /api/v1/accounts/statistics")).toHaveLength(1);
  });

  test("DASH-14: loads 50 recent verifications and shows a few until the user asks for all", async () => {
    api.on(HISTORY, { json: { data: Array.from({ length: 50 }, (_, n) => attempt(n)) } });
    const { user } = await openDashboard();
    const recent = within(screen.getByRole("region", { name: "Recent Verifications" }));
    await waitFor(() => expect(recent.getAllByRole("listitem")).toHaveLength(5));
    expect(api.requestsTo(HISTORY)[0]?.query.get("limit")).toBe("50");
    expect(recent.getByText("Wrong password")).toBeTruthy();
    expect(recent.getAllByText("PostgreSQL · app@db01.internal").length).toBeGreaterThan(0);
    await user.click(recent.getByRole("button", { name: "Show All 50" }));
    expect(recent.getAllByRole("listitem")).toHaveLength(50);
  });

  test("recent verifications that fail to load offer Retry", async () => {
    api.on(HISTORY, broken);
    const { user } = await openDashboard();
    const recent = within(screen.getByRole("region", { name: "Recent Verifications" }));
    await recent.findByText("The database is away.");
    api.on(HISTORY, { json: { data: [] } });
    await user.click(recent.getByRole("button", { name: "Retry" }));
    expect(await recent.findByText("No verifications yet")).toBeTruthy();
  });

  test("OPEN-19: the number of privileged users links to users that the role may list", async () => {
    const links = { admin: "/admin", manager: "/access-control", user: undefined };
    for (const role of ["admin", "manager", "user"] as const) {
      signInForTest({ role });
      const { unmount } = await openDashboard();
      expect(screen.queryByRole("link", { name: "Privileged Users" })?.getAttribute("href")).toBe(links[role]);
      unmount();
    }
  });

  test("every figure links to the list of exactly what it counts", async () => {
    await openDashboard();
    const hrefOf = (name: string | RegExp) => screen.getByRole("link", { name }).getAttribute("href") ?? "";
    const filterIn = (href: string) => JSON.parse(new URLSearchParams(href.split("?")[1]).get("filter") ?? "");
    expect(filterIn(hrefOf("Total Credentials"))).toEqual({});
    expect(hrefOf("Active Sessions")).toBe("/sessions?status=active");
    expect(filterIn(hrefOf("Compliance Score"))).toEqual({ not_compliant: true });
    await screen.findByRole("link", { name: "Rejected: 1" });
    expect(filterIn(hrefOf("Rejected: 1"))).toEqual({ statuses: ["rejected"] });
    await screen.findByRole("link", { name: "5 verifications" });
    expect(hrefOf("5 verifications")).toBe("/validation-dashboard?tab=accounts&view=attempts&range=7d");
    await screen.findByRole("link", { name: "2 stopped" });
    expect(hrefOf("7 accounts due or overdue")).toBe("/accounts?tab=rotation-due");
    expect(filterIn(hrefOf("2 stopped"))).toEqual({ rotation_stopped: true });
  });

  test("shows five causes with advice, and the rest on request", async () => {
    const causes = Array.from({ length: 7 }, (_, n) => ({ ...alert, id: `c${n}`, message: `${n} accounts: Cause` }));
    api.on(ALERTS, { json: { alerts: causes } });
    const { user } = await openDashboard();
    const alerts = within(screen.getByRole("region", { name: "Critical Alerts" }));
    expect(alerts.getByTitle("Number of alerts").textContent).toBe("7");
    expect(alerts.getAllByRole("listitem")).toHaveLength(5);
    expect(alerts.getAllByText("Compare the fingerprint.")).toHaveLength(5);
    await user.click(alerts.getByRole("button", { name: "Show 2 more causes" }));
    expect(alerts.getAllByRole("listitem")).toHaveLength(7);
  });
});

describe("the dashboard by role", () => {
  test("a user sees their active access, their recent accounts, and what they may decide", async () => {
    await openDashboard();
    const access = within(screen.getByRole("region", { name: "My Access" }));
    expect(await access.findByRole("link", { name: "Connect: root on db1" })).toBeTruthy();
    expect(access.getByText(/^1h 30m left, until /)).toBeTruthy();
    const recents = within(screen.getByRole("region", { name: "Recent Accounts" }));
    expect((await recents.findByRole("link", { name: "root on web1" })).getAttribute("href")).toBe(
      `/accounts/${recent.id}`,
    );
    const queue = within(await screen.findByRole("region", { name: "Waiting for Your Decision" }));
    expect(queue.getByRole("link", { name: "Review: Olga, root on db1" }).getAttribute("href")).toBe(
      `/jit-access/${asked.id}`,
    );
    expect(queue.getByRole("link", { name: "9 pending requests" }).getAttribute("href")).toBe("/jit-access");
    expect(screen.queryByRole("region", { name: "Changes to Rights and Security" })).toBeNull();
    expect(api.requestsTo("GET /api/v1/audit")).toHaveLength(0);
  });

  test("a user without anything to decide sees no queue", async () => {
    canDecide = false;
    await openDashboard();
    await within(screen.getByRole("region", { name: "My Access" })).findByText("root on db1");
    expect(screen.queryByRole("region", { name: "Waiting for Your Decision" })).toBeNull();
  });

  test("administrators and managers see the queue, even when it is empty, and the notable audit entries", async () => {
    canDecide = false;
    signInForTest({ role: "admin" });
    await openDashboard();
    expect(await screen.findByText("No request waits for you.")).toBeTruthy();
    expect(await screen.findByRole("region", { name: "Changes to Rights and Security" })).toBeTruthy();
    await waitFor(() => expect(api.requestsTo("GET /api/v1/audit")[0]?.query.get("notable")).toBe("true"));
  });
});

describe("the setup checklist", () => {
  const step = (id: string, isDone: boolean) => ({ id, is_done: isDone, is_dismissed: false });

  test("shows administrators what is done, leads to each open step, and is dismissed step by step", async () => {
    signInForTest({ role: "admin" });
    api.on(SETUP, { json: { steps: [step("sign-up", true), step("safe", false), step("provider", false)] } });
    const { user } = await openDashboard();
    const card = within(await screen.findByRole("region", { name: "Set Up Strongroom" }));
    expect(card.getByText("1 of 3 steps done")).toBeTruthy();
    expect(card.getAllByRole("img", { name: "Done" })).toHaveLength(1);
    expect(card.getByRole("link", { name: "Open Safes: Create a safe" }).getAttribute("href")).toBe("/safes");
    const steps = [step("sign-up", true), step("safe", false), { ...step("provider", false), is_dismissed: true }];
    api.on("POST /api/v1/dashboard/setup/dismiss", { json: { steps } });
    await user.click(card.getByRole("button", { name: "Dismiss: Connect a sign-in provider" }));
    expect(await card.findByText("1 of 2 steps done")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/dashboard/setup/dismiss")[0]?.body).toEqual({ step: "provider" });
  });

  test("is hidden when every step is done, and never requested for other users", async () => {
    await openDashboard();
    expect(api.requestsTo(SETUP)).toHaveLength(0);
    signInForTest({ role: "admin" });
    api.on(SETUP, { json: { steps: [step("sign-up", true)] } });
    await openDashboard();
    await waitFor(() => expect(api.requestsTo(SETUP)).toHaveLength(1));
    expect(screen.queryByRole("region", { name: "Set Up Strongroom" })).toBeNull();
  });
});
