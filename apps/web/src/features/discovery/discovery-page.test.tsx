// Tests of the discovery page: loading failures, empty states, refresh and roles.
import { screen, waitFor, within } from "@testing-library/react";
import { IconRadar2 } from "@tabler/icons-react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import type { DiscoveryTab } from "#shared/discovery/discovery-tab.ts";
import { DiscoveryPage, type DiscoveryPageProps } from "./discovery-page.tsx";

const TARGETS = "GET /api/v1/discovery/targets";
const SCANS = "GET /api/v1/discovery/scans";
const ACCOUNTS = "GET /api/v1/discovery/accounts";
const PREVIEW = "POST /api/v1/discovery/accounts/preview";
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
  trend: [
    { day: "2026-11-19", managed: 1, unmanaged: 5, unmanaged_privileged: 3 },
    { day: "2026-11-20", managed: 2, unmanaged: 6, unmanaged_privileged: 4 },
  ],
  unmanaged_privileged_ages: [
    { age: "under_7_days", count: 1 },
    { age: "7_to_30_days", count: 0 },
    { age: "30_to_90_days", count: 2 },
    { age: "over_90_days", count: 1 },
  ],
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
  offered_host_key: null,
  schedule: null,
  next_scan_at: null,
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
    incomplete_reason: null,
    commands: [],
  },
  settings: { includeSystemAccounts: false, timeout: 30_000, maxAccounts: 1000 },
  requested_by: "Ada",
  is_scheduled: false,
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
  account_id: null,
  onboarding: null,
  decided_by: null,
  decided_at: null,
  can_manage: true,
};
const aPlan = {
  id: ACCOUNT_ID,
  account_name: "root",
  hostname_ip: "web-01.internal",
  outcome: "pending",
  problem: null,
  name: "root on web-01.internal",
  safe: { id: SAFE_ID, name: "Web servers" },
  platform: { id: SAFE_ID, name: "Linux" },
  rule: "Servers",
  reconcile: { is_possible: false, message: "The account's platform has no reconcile account." },
  notes: ['The platform "Linux" does not verify passwords regularly.'],
  dependents: [{ kind: "cron-job", name: "/etc/cron.d/backup", detail: null }],
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
    [PREVIEW]: { json: { data: [aPlan] } },
    "GET /api/v1/platforms": { json: { platforms: [] } },
  });
});
afterEach(() => api.close());

const show = (tab = "", props: Partial<DiscoveryPageProps> = {}) =>
  renderScreen(<DiscoveryPage Validation={() => <p>Validation of secrets</p>} {...props} />, {
    at: tab === "" ? "/discovery" : `/discovery?tab=${tab}`,
  });
/** Tabs as other features contribute them. */
const aTab = (id: DiscoveryTab["id"], label: string, more: Partial<DiscoveryTab> = {}): DiscoveryTab => ({
  id,
  Content: () => <p>{`Content of ${label}`}</p>,
  card: { label, value: 1, line: "of 4", icon: IconRadar2 },
  ...more,
});
const OTHERS = [
  aTab("enhanced-scans", "Enhanced Scans"),
  aTab("findings", "Security Findings", {
    card: { label: "Security Findings", value: 9, line: "2 high or critical, of 11", icon: IconRadar2 },
  }),
  { ...aTab("risk-assessment", "Risk Assessment"), card: undefined },
];
const figureOf = (label: string) => screen.getByRole("article", { name: label }).querySelector("p")?.textContent;

test("DISC-07: five cards show targets, scans, findings and open decisions, and link to their lists", async () => {
  show("", { others: OTHERS });
  await screen.findByRole("article", { name: "Active Targets" });
  expect(screen.getAllByRole("article").map((card) => card.querySelector("h2")?.textContent)).toEqual([
    "Active Targets",
    "Basic Scans",
    "Enhanced Scans",
    "Security Findings",
    "Pending Approval",
  ]);
  expect(["Active Targets", "Basic Scans", "Security Findings", "Pending Approval"].map(figureOf)).toEqual([
    "2of 3",
    "1running, of 7",
    "92 high or critical, of 11",
    "52 approved",
  ]);
  expect(screen.getByRole("link", { name: "Pending Approval" }).getAttribute("href")).toBe("/discovery?tab=accounts");
});

test("DISC-04, DISC-05: the tabs have the order and ids of the specification, and their content", async () => {
  const { user, router } = show("", { others: OTHERS });
  const tabs = await screen.findAllByRole("tab");
  expect(tabs.map((each) => each.textContent.replace(/\d+$/, ""))).toEqual([
    "Discovery Targets",
    "Basic Scans",
    "Enhanced Scans",
    "Security Findings",
    "Discovered Accounts",
    "Risk Assessment",
    "Statistics",
  ]);
  const ids = ["targets", "scans", "enhanced-scans", "findings", "accounts", "risk-assessment", "statistics"];
  expect(tabs.map((each) => each.dataset["tab"])).toEqual(ids);
  await user.click(tabs[2]!);
  expect(await screen.findByText("Content of Enhanced Scans")).toBeTruthy();
  expect(router.state.location.search).toBe("?tab=enhanced-scans");
});

test("a tab whose feature is missing is not shown", async () => {
  show("findings");
  expect(await screen.findByText("No Discovery Targets")).toBeTruthy();
  expect(screen.queryByRole("tab", { name: "Security Findings" })).toBeNull();
});

test.each(["validation", "statistics&view=validation"])(
  "OPEN-127: ?tab=%s shows validation in Statistics",
  async (at) => {
    show(at);
    expect(await screen.findByText("Validation of secrets")).toBeTruthy();
    expect(screen.getByRole("tab", { name: "Statistics" }).getAttribute("aria-selected")).toBe("true");
  },
);

test.each([
  ["DISC-59", TARGETS, "Failed to load discovery targets"],
  ["SCAN-24", SCANS, "Failed to load discovery scans - backend may be starting up, please try again in a moment"],
  ["DISC-60", ACCOUNTS, "Failed to load discovered accounts"],
  ["DISC-61", STATISTICS, "Failed to load discovery statistics"],
])(
  "%s, DISC-08: a red banner reports a failed load on every tab, retries, and can be dismissed",
  async (_, call, text) => {
    api.on(call, problem(500, "internal", "The database is away."));
    const { user } = show("statistics&view=validation");
    const banner = async () => (await screen.findByText(text)).closest<HTMLElement>("[role=alert]")!;
    expect(within(await banner()).getByText("The database is away.")).toBeTruthy();
    await user.click(within(await banner()).getByRole("button", { name: "Retry" }));
    await user.click(within(await banner()).getByRole("button", { name: `Dismiss: ${text}` }));
    expect(screen.queryByText(text)).toBeNull();
    // The same failure stays dismissed; a new one after a success is shown.
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    expect(await screen.findByText("Failed to refresh data")).toBeTruthy();
    expect(screen.queryByText(text)).toBeNull();
    api.on(call, call === STATISTICS ? { json: FIGURES } : page());
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    expect(await screen.findByText("Discovery data refreshed")).toBeTruthy();
    api.on(call, problem(500, "internal", "The database is away."));
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    expect(await banner()).toBeTruthy();
  },
);

test("DISC-62: one banner reports that everything failed", async () => {
  for (const call of [TARGETS, SCANS, ACCOUNTS, STATISTICS]) api.on(call, problem(500, "internal", "Away."));
  show("statistics&view=validation");
  expect(await screen.findByText("Failed to load discovery data")).toBeTruthy();
  expect(screen.getAllByRole("alert")).toHaveLength(1);
});

test("the banner of another feature's tab has its text", async () => {
  const failure = { text: "Failed to load enhanced scans", error: new Error("The server is away.") };
  show("", { others: [aTab("enhanced-scans", "Enhanced Scans", { failure })] });
  expect(await screen.findByText("Failed to load enhanced scans")).toBeTruthy();
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

test("DISC-56, DISC-57, DISC-58: the page loads everything together, also what is cached", async () => {
  const { user, router } = show();
  await screen.findByText("No Discovery Targets");
  const calls = [TARGETS, SCANS, ACCOUNTS, STATISTICS];
  for (const call of calls) await waitFor(() => expect(api.requestsTo(call)).toHaveLength(1));
  expect(api.requestsTo(STATISTICS)[0]!.query.get("range")).toBe("30d");
  await user.click(screen.getByRole("tab", { name: /^Basic Scans/ }));
  await screen.findByText("No Scans");
  expect(api.requestsTo(SCANS)).toHaveLength(1);
  await router.navigate("/elsewhere");
  await screen.findByTestId("address");
  await router.navigate("/discovery");
  for (const call of calls) await waitFor(() => expect(api.requestsTo(call)).toHaveLength(2));
});

test("SCAN-22: more ended scans give a toast with their number", async () => {
  const { user } = show();
  await screen.findByRole("article", { name: "Basic Scans" });
  expect(screen.queryByText(/new scan result/)).toBeNull();
  api.on(STATISTICS, { json: { ...FIGURES, total_scans: 9 } });
  await user.click(screen.getByRole("button", { name: "Refresh" }));
  expect(await screen.findByText("2 new scan results available")).toBeTruthy();
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
  show("", { TargetAction: () => <button type="button">Enhanced Scan</button> });
  const [own, other] = within(await screen.findByRole("list", { name: "Discovery targets" })).getAllByRole("listitem");
  expect(
    within(own!)
      .getAllByRole("button")
      .map(({ textContent }) => textContent),
  ).toEqual(["Scan", "Enhanced Scan", "Edit", "Disable", "Delete"]);
  expect(within(other!).queryAllByRole("button")).toEqual([]);
});

test("DISC-24, DISC-26: a type sets port and method; a failed load of credentials gives a toast", async () => {
  api.on(TARGETS, page(aTarget));
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Edit web-01" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Edit Discovery Target" }));
  await user.click(await dialog.findByRole("combobox", { name: "Type" }));
  await user.click(await screen.findByRole("option", { name: "Database" }));
  await user.click(dialog.getByRole("button", { name: "Next" }));
  const method = await dialog.findByRole<HTMLInputElement>("textbox", { name: "Connection Method" });
  expect(method.value).toBe("Database login");
  api.on("GET /api/v1/accounts", problem(500, "internal", "Away."));
  await user.click(dialog.getByRole("combobox", { name: "Credential" }));
  expect(await screen.findByText("Failed to load credentials")).toBeTruthy();
  await user.click(dialog.getByRole("button", { name: "Next" }));
  expect((await dialog.findByRole<HTMLInputElement>("textbox", { name: "Port" })).value).toBe("3306");
});

test("DISC-15: a target shows its type in upper case", async () => {
  api.on(TARGETS, page({ ...aTarget, target_type: "active_directory", connection_method: "https" }));
  show();
  expect(await screen.findByText("ACTIVE_DIRECTORY")).toBeTruthy();
});

test("a changed host key is shown with both keys, and accepted exactly as presented", async () => {
  const [pinned, offered] = ["old", "new"].map((name) => ({ type: "ssh-ed25519", fingerprint: `SHA256:${name}` }));
  api.on(TARGETS, page({ ...aTarget, host_key: pinned, offered_host_key: offered }));
  const ACCEPT = `POST /api/v1/discovery/targets/${TARGET_ID}/accept-host-key`;
  api.on(ACCEPT, { json: { ...aTarget, host_key: offered } });
  const { user } = show();
  const alarm = within(await screen.findByRole("alert", { name: "Host key alarm" }));
  expect(alarm.getByText("ssh-ed25519 SHA256:old")).toBeTruthy();
  await user.click(alarm.getByRole("button", { name: "Accept new host key" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Accept new host key" }));
  await user.click(dialog.getByRole("button", { name: "Accept new host key" }));
  await waitFor(() => expect(api.requestsTo(ACCEPT)[0]?.body).toEqual({ fingerprint: "ssh-ed25519 SHA256:new" }));
});

describe("scans", () => {
  test("SCAN-01, SCAN-04: Scan Details lists the commands of the scan", async () => {
    const commands = [
      { command: "sudo -n sh -s", success: false, exitCode: 1, output: "", error: "sudo needs a password." },
    ];
    api.on(SCANS, page({ ...aScan, metadata: { ...aScan.metadata, commands } }));
    const { user } = show("scans");
    await user.click(await screen.findByRole("button", { name: "Details of the scan of web-01" }));
    const list = within(
      within(await screen.findByRole("dialog", { name: "Scan Details" })).getByRole("list", { name: "Commands" }),
    );
    for (const text of ["sudo -n sh -s", "Failed", "Exit code 1", "sudo needs a password."])
      expect(list.getByText(text)).toBeTruthy();
  });

  const START = `POST /api/v1/discovery/targets/${TARGET_ID}/scan`;

  test.each([
    [
      "a server that is away",
      problem(503, "unavailable", "Away."),
      2,
      / - backend may be starting up, please try again in a moment$/,
    ],
    [
      "a refusal",
      problem(409, "discovery.scan-open", "A scan is already running."),
      1,
      /^Failed to start discovery scan$/,
    ],
  ])("SCAN-26: %s is reported in the dialog after the right number of attempts", async (_, answer, attempts, text) => {
    api.on(TARGETS, page(aTarget));
    api.on(START, answer);
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Scan web-01" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Configure Discovery Scan" }));
    await user.click(dialog.getByRole("button", { name: "Start Scan" }));
    expect(await dialog.findByText(text, undefined, { timeout: 10_000 })).toBeTruthy();
    expect(api.requestsTo(START)).toHaveLength(attempts);
  });

  test("SCAN-25, SCAN-26: a start that succeeds at the second attempt is one request for the server", async () => {
    api.on(TARGETS, page(aTarget));
    let attempts = 0;
    api.on(START, () =>
      ++attempts === 1
        ? problem(500, "internal", "Away.")
        : { status: 202, json: { ...aScan, status: "pending", metadata: null } },
    );
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Scan web-01" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Start Scan" }));
    expect(await screen.findByText("Discovery scan started successfully", undefined, { timeout: 10_000 })).toBeTruthy();
    const keys = api.requestsTo(START).map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(1);
  });

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
      json: { decided: 0, failed, message: "Approved 0 accounts successfully", run_id: null },
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

  test("the approval shows what would happen to each account, and plans again when a setting changes", async () => {
    api.on(ACCOUNTS, page(anAccount));
    const { user } = show("accounts");
    await user.click(await screen.findByRole("button", { name: "Approve root on web-01.internal" }));
    const preview = within(await screen.findByRole("region", { name: "Preview" }));
    expect(await preview.findByText("Password needed")).toBeTruthy();
    expect(preview.getByText("Safe: Web servers · Platform: Linux · Rule: Servers")).toBeTruthy();
    expect(preview.getByText("The account's platform has no reconcile account.")).toBeTruthy();
    expect(preview.getByText(/Cron job \/etc\/cron\.d\/backup/)).toBeTruthy();
    api.on(PREVIEW, { json: { data: [{ ...aPlan, outcome: "rotate" }] } });
    await user.click(screen.getByRole("switch", { name: /^Rotate automatically/ }));
    expect(await preview.findByText("New password")).toBeTruthy();
    expect(api.requestsTo(PREVIEW).at(-1)!.body).toMatchObject({ onboardingSettings: { autoRotate: true } });
  });

  test("DISC-38, DISC-39: the approval sends the default settings for all selected accounts", async () => {
    const other = { ...anAccount, id: SCAN_ID, account_name: "deploy" };
    api.on(ACCOUNTS, page(anAccount, other));
    const approved = { decided: 2, failed: [], message: "Approved 2 accounts successfully", run_id: null };
    api.on("POST /api/v1/discovery/accounts/approve", { json: approved });
    const { user } = show("accounts");
    await user.click(await screen.findByRole("checkbox", { name: "Select all loaded" }));
    await user.click(
      within(screen.getByRole("region", { name: "Selected accounts" })).getByRole("button", { name: "Approve" }),
    );
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Approve" }));
    expect(await screen.findByText("Approved 2 accounts successfully")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/discovery/accounts/approve")[0]!.body).toEqual({
      accountIds: [ACCOUNT_ID, SCAN_ID],
      onboardingSettings: { rotationPolicy: "30days", monitoring: true, autoRotate: false },
    });
  });

  test("an onboarded account shows its state, what to do next, and a link to the account in its safe", async () => {
    const onboarding = { id: SCAN_ID, state: "waiting", message: "No password is known yet. Store the password." };
    api.on(ACCOUNTS, page({ ...anAccount, status: "active", onboarding, account_id: SAFE_ID, is_managed: true }));
    show("accounts");
    expect(await screen.findByText("Password needed")).toBeTruthy();
    expect(screen.getByText("No password is known yet. Store the password.")).toBeTruthy();
    const link = screen.getByRole("link", { name: "Open the account in its safe" });
    expect(link.getAttribute("href")).toBe(`/accounts/${SAFE_ID}`);
  });

  test("a rejected account that returned says that it needs a new decision", async () => {
    api.on(ACCOUNTS, page({ ...anAccount, rejection_reason: "Not ours", decided_by: "Ada", decided_at: AT }));
    show("accounts");
    expect(await screen.findByText("Needs a new decision. Rejected before by Ada: Not ours")).toBeTruthy();
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
