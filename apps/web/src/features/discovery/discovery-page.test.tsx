// Tests of the discovery page: loading failures, empty states, refresh and roles.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { DiscoveryPage } from "./discovery-page.tsx";

const TARGETS = "GET /api/v1/discovery/targets";
const SCANS = "GET /api/v1/discovery/scans";
const ACCOUNTS = "GET /api/v1/discovery/accounts";
const STATISTICS = "GET /api/v1/discovery/statistics";
const [TARGET_ID, SCAN_ID, ACCOUNT_ID, SAFE_ID] = [1, 2, 3, 4].map(
  (digit) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`,
);
const AT = "2026-11-20T10:00:00.000Z";
const FIGURES = {
  total_targets: 3,
  active_targets: 2,
  total_scans: 7,
  running_scans: 1,
  total_discovered_accounts: 8,
  pending_approval: 5,
  approved_accounts: 2,
  rejected_accounts: 1,
  unmanaged_privileged_accounts: 4,
  recent_activity: [],
};
const aTarget = {
  id: TARGET_ID,
  name: "web-01",
  description: null,
  target_type: "linux",
  hostname: "web-01.internal",
  connection_method: "ssh",
  credential_id: ACCOUNT_ID,
  settings: { port: 22, timeout: 30_000 },
  safe_id: SAFE_ID,
  safe_name: "Web servers",
  is_active: true,
  host_key: null,
  last_scan: null,
  can_manage: true,
  created_at: AT,
  updated_at: AT,
};
const aScan = {
  id: SCAN_ID,
  target_id: TARGET_ID,
  status: "failed",
  created_at: AT,
  started_at: AT,
  completed_at: AT,
  discovery_targets: { name: "web-01", hostname: "web-01.internal", target_type: "linux" },
  metadata: {
    accounts_discovered: null,
    accounts_stored: null,
    scan_duration: 1200,
    total_connections: 1,
    error: "wrong-password",
    error_message: "web-01.internal did not accept the password.",
    is_complete: true,
  },
  settings: { includeSystemAccounts: false, timeout: 30_000, maxAccounts: 1000 },
  requested_by: "Ada",
  can_manage: true,
};
const anAccount = {
  id: ACCOUNT_ID,
  account_name: "root",
  hostname_ip: "web-01.internal",
  system_type: "linux",
  status: "pending_approval",
  rejection_reason: null,
  discovered_at: AT,
  discovery_scan_id: SCAN_ID,
  target_id: TARGET_ID,
  discovery_metadata: {
    is_privileged: true,
    is_locked: false,
    password_changed_at: null,
    expires_at: null,
    last_login_at: null,
    facts: { uid: 0, groups: ["root", "adm"] },
    changes: [{ field: "shell", from: "/bin/sh", to: "/bin/zsh" }],
    dependents: [{ kind: "cron-job", name: "/etc/cron.d/backup", detail: "0 3 * * *" }],
  },
  last_seen_at: AT,
  missing_since: null,
  is_managed: false,
  decided_by: null,
  decided_at: null,
  can_manage: true,
};
const page = (...data: object[]) => ({ json: { data, total: data.length, next_cursor: null } });

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [TARGETS]: page(),
    [SCANS]: page(),
    [ACCOUNTS]: page(),
    [STATISTICS]: { json: FIGURES },
  });
});
afterEach(() => api.close());

const show = (tab = "") =>
  renderScreen(<DiscoveryPage Validation={() => <p>Validation of secrets</p>} />, {
    at: tab === "" ? "/discovery" : `/discovery?tab=${tab}`,
  });
const figureOf = (label: string) => screen.getByRole("article", { name: label }).querySelector("p")?.textContent;

test("the cards show active targets, running scans and open decisions", async () => {
  show();
  await screen.findByRole("article", { name: "Active Targets" });
  expect(["Active Targets", "Basic Scans", "Pending Approval"].map(figureOf)).toEqual([
    "2of 3",
    "1running, of 7 in 30 days",
    "52 approved",
  ]);
});

test.each([
  ["DISC-59", "", TARGETS, "Failed to load discovery targets"],
  ["SCAN-24", "scans", SCANS, "Failed to load discovery scans"],
  ["DISC-60", "accounts", ACCOUNTS, "Failed to load discovered accounts: The database is away."],
  ["DISC-61", "statistics", STATISTICS, "Failed to load discovery statistics"],
])("%s: the tab %j reports a failed load and retries", async (_, tab, call, text) => {
  api.on(call, problem(500, "internal", "The database is away."));
  const { user } = show(tab);
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain(text);
  api.on(call, call === STATISTICS ? { json: FIGURES } : page());
  await user.click(within(alert).getByRole("button", { name: "Retry" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});

test.each([
  ["SCAN-02", "scans", "No Scans"],
  ["DISC-47", "accounts", "No Discovered Accounts"],
])("%s: the tab %j has an empty state", async (_, tab, text) => {
  show(tab);
  expect(await screen.findByText(text)).toBeTruthy();
});

test("DISC-54, DISC-55: statistics without targets or activity say so", async () => {
  api.on(STATISTICS, { json: { ...FIGURES, total_targets: 0 } });
  const { unmount } = show("statistics");
  expect(await screen.findByText("No Statistics Available")).toBeTruthy();
  unmount();
  api.on(STATISTICS, { json: FIGURES });
  show("statistics");
  expect(await screen.findByText("No recent activity")).toBeTruthy();
  expect(["Coverage", "Accounts per Scan", "Approved", "Rejected", "Pending"].map(figureOf)).toEqual([
    "67%",
    "1",
    "25%",
    "13%",
    "63%",
  ]);
});

test("the page loads targets, scans and statistics together", async () => {
  show();
  await screen.findByText("No Discovery Targets");
  for (const call of [TARGETS, SCANS, STATISTICS]) expect(api.requestsTo(call)).toHaveLength(1);
});

test("DISC-64: a failed refresh reports it", async () => {
  const { user } = show();
  await screen.findByText("No Discovery Targets");
  api.on(TARGETS, problem(500, "internal", "The database is away."));
  await user.click(screen.getByRole("button", { name: "Refresh" }));
  expect(await screen.findByText("Failed to refresh data")).toBeTruthy();
});

test("DISC-10: a target that the user cannot manage has no actions", async () => {
  api.on(TARGETS, page(aTarget, { ...aTarget, id: ACCOUNT_ID, name: "db-01", can_manage: false }));
  show();
  const [own, other] = within(await screen.findByRole("list", { name: "Discovery targets" })).getAllByRole("listitem");
  expect(
    within(own!)
      .getAllByRole("button")
      .map(({ textContent }) => textContent),
  ).toEqual(["Scan", "Edit", "Delete"]);
  expect(within(other!).queryAllByRole("button")).toEqual([]);
});

describe("scans", () => {
  test("SCAN-08, SCAN-13: a failed scan shows the reason and no accounts", async () => {
    api.on(SCANS, page(aScan));
    const { user } = show("scans");
    await user.click(await screen.findByRole("button", { name: "Details of the scan of web-01" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Scan Details" }));
    expect(dialog.getByText("The scan failed")).toBeTruthy();
    expect(dialog.getByText("web-01.internal did not accept the password.")).toBeTruthy();
    expect(dialog.getByText("0 (Scan Failed)")).toBeTruthy();
  });

  test.each([
    ["SCAN-09", { accounts_discovered: 0, accounts_stored: 0 }, "The scan completed and found no accounts"],
    ["SCAN-10", { accounts_discovered: 9, accounts_stored: 4 }, /It left out 5 system accounts/],
    ["SCAN-14", { accounts_discovered: 9, accounts_stored: 4, is_complete: false }, /more accounts than the scan/],
  ])("%s: a completed scan with %j explains the result", async (_, found, text) => {
    const metadata = { ...aScan.metadata, error: null, error_message: null, ...found };
    api.on(SCANS, page({ ...aScan, status: "completed", metadata }));
    const { user } = show("scans");
    await user.click(await screen.findByRole("button", { name: "Details of the scan of web-01" }));
    expect(within(await screen.findByRole("dialog")).getByText(text)).toBeTruthy();
  });

  test("SCAN-07, SCAN-11, SCAN-12: a running scan has no data yet and can be cancelled", async () => {
    const running = { ...aScan, status: "running", metadata: null, completed_at: null };
    api.on(SCANS, page(running));
    api.on(`POST /api/v1/discovery/scans/${SCAN_ID}/cancel`, { json: { ...aScan, status: "cancelled" } });
    const { user } = show("scans");
    expect(await screen.findByText(/Accounts discovered: Pending/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Cancel the scan of web-01" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Cancel Scan" }));
    await user.click(dialog.getByRole("button", { name: "Cancel Scan" }));
    expect(await screen.findByText("Scan cancelled successfully")).toBeTruthy();
  });
});

describe("discovered accounts", () => {
  test("DISC-33: the first load asks for pending accounts; filters are sent to the server", async () => {
    api.on(ACCOUNTS, page(anAccount));
    const { user } = show("accounts");
    await screen.findByRole("list", { name: "Discovered accounts" });
    expect(api.requestsTo(ACCOUNTS)[0]!.query.get("status")).toBe("pending_approval");
    await user.click(screen.getByRole("combobox", { name: "Privilege" }));
    await user.click(await screen.findByRole("option", { name: "Privileged accounts" }));
    await waitFor(() => expect(api.requestsTo(ACCOUNTS).at(-1)!.query.get("privileged")).toBe("true"));
  });

  test("DISC-34: only pending accounts can be decided", async () => {
    api.on(ACCOUNTS, page({ ...anAccount, status: "active", decided_by: "Ada", decided_at: AT }));
    show("accounts");
    const row = within(await screen.findByRole("list", { name: "Discovered accounts" }));
    expect(row.getAllByRole("button").map(({ textContent }) => textContent)).toEqual(["Details"]);
    expect(row.queryByRole("checkbox")).toBeNull();
  });

  test("DISC-45: accounts that could not be approved are reported with the reason", async () => {
    api.on(ACCOUNTS, page(anAccount));
    const failed = [{ id: ACCOUNT_ID, code: "discovery.already-decided", message: '"root" is already rejected.' }];
    api.on("POST /api/v1/discovery/accounts/approve", {
      json: { decided: 0, failed, message: "Approved 0 accounts successfully" },
    });
    const { user } = show("accounts");
    await user.click(await screen.findByRole("button", { name: "Approve root on web-01.internal" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Approve" }));
    expect(await screen.findByText('"root" is already rejected.')).toBeTruthy();
    expect(screen.queryByText("Approved 0 accounts successfully")).toBeNull();
    expect(api.requestsTo("POST /api/v1/discovery/accounts/approve")[0]!.body).toEqual({
      accountIds: [ACCOUNT_ID],
      onboardingSettings: { rotationPolicy: "30days", monitoring: true, autoRotate: false },
    });
  });

  test("DISC-46: a refused rejection keeps the dialog and shows the reason", async () => {
    api.on(ACCOUNTS, page(anAccount));
    api.on("POST /api/v1/discovery/accounts/reject", problem(503, "database.away", "The database is away."));
    const { user } = show("accounts");
    await user.click(await screen.findByRole("button", { name: "Reject root on web-01.internal" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.type(dialog.getByRole("textbox", { name: "Reason" }), "Not ours");
    await user.click(dialog.getByRole("button", { name: "Reject" }));
    expect(await dialog.findByText("Failed to reject accounts", undefined, { timeout: 20_000 })).toBeTruthy();
  });

  test("Account Details shows the facts and changes that the system reported", async () => {
    api.on(ACCOUNTS, page(anAccount));
    const { user } = show("accounts");
    await user.click(await screen.findByRole("button", { name: "Details of root on web-01.internal" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Account Details" }));
    for (const text of ["root, adm", "/bin/sh → /bin/zsh", "None yet"]) expect(dialog.getByText(text)).toBeTruthy();
  });
});
