// Tests of the Security Findings tab: loading failures, filters, changes, vaulting and exports.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest } from "#app/testing/sign-in.ts";
import { FindingsTab } from "./findings-tab.tsx";

const FINDINGS = "GET /api/v1/discovery/enhanced/findings";
const EXPORT = "POST /api/v1/discovery/enhanced/findings/export";
const VAULT = "POST /api/v1/discovery/enhanced/findings/vault";
const BULK = "POST /api/v1/discovery/enhanced/findings/status";
const [ID, TARGET_ID] = ["1", "2"].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
const STATUS = `PATCH /api/v1/discovery/enhanced/findings/${ID}/status`;
const AT = "2026-11-20T10:00:00.000Z";
const aFinding = {
  id: ID,
  target_id: TARGET_ID,
  target_name: "web-01",
  hostname: "web-01.internal",
  title: "Password in db.conf",
  description: "A password.",
  finding_type: "hardcoded_password",
  class: "password",
  severity: "high",
  status: "new",
  risk_score: 65,
  auto_vaulted: false,
  created_at: AT,
  last_seen_at: AT,
  finding_data: {
    location: "web-01.internal:/srv/db.conf:3",
    file_path: "/srv/db.conf",
    line_number: 3,
    pattern_matched: "assignment",
    key_name: "password",
    username: "app",
    preview: "se••••",
  },
  liveness: "unverified",
  verified_at: null,
  reused_on: 2,
  account_id: null,
  assignee: null,
  due_at: AT,
  fixed_by_scan: null,
  can_manage: true,
};
const page = (...data: object[]) => ({ json: { data, total: data.length, limit: 100, offset: 0 } });

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ [FINDINGS]: page(aFinding) });
});
afterEach(() => api.close());

const show = (query = "") => renderScreen(<FindingsTab />, { at: `/discovery?tab=findings${query}` });

test("FIND-05: the empty state has a variant for filters", async () => {
  api.on(FINDINGS, page());
  const { unmount } = show();
  expect(await screen.findByText("No Security Findings")).toBeTruthy();
  expect(screen.getByText(/enhanced scans find in files/)).toBeTruthy();
  unmount();
  show("&severity=critical");
  expect(await screen.findByText("No finding matches your filters.")).toBeTruthy();
});

test("FIND-21: a failed load shows the banner and retries", async () => {
  api.on(FINDINGS, problem(500, "internal", "The database is away."));
  const { user } = show();
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Failed to load security findings");
  api.on(FINDINGS, page(aFinding));
  await user.click(within(alert).getByRole("button", { name: "Retry" }));
  expect(await screen.findByText("Password in db.conf")).toBeTruthy();
});

test("FIND-08, FIND-10: filters are sent to the server, 100 findings at a time", async () => {
  show("&severity=critical,high&findingStatus=new&type=ssh_key&risk=40-90&all=true");
  await screen.findByText("Password in db.conf");
  const query = api.requestsTo(FINDINGS)[0]!.query;
  const sent = ["severity", "status", "findingType", "minRiskScore", "maxRiskScore", "limit", "offset"];
  expect(sent.map((name) => query.get(name))).toEqual(["critical,high", "new", "ssh_key", "40", "90", "100", "0"]);
  expect(query.get("includeBelowThreshold")).toBe("true");
});

test("a search text and the user's own assignments filter the list and its export", async () => {
  api.on(EXPORT, { json: {} });
  const { user } = show("&search=web-01&mine=true&risk=40-100&all=true");
  await screen.findByText("Password in db.conf");
  const query = api.requestsTo(FINDINGS)[0]!.query;
  const { id } = TEST_USER;
  expect([query.get("search"), query.get("assigneeId")]).toEqual(["web-01", id]);
  await user.click(screen.getByRole("button", { name: "Export" }));
  await user.click(await screen.findByRole("menuitem", { name: "CSV" }));
  await waitFor(() => expect(api.requestsTo(EXPORT)).toHaveLength(1));
  expect(api.requestsTo(EXPORT)[0]!.body).toMatchObject({
    filters: { search: "web-01", assigneeId: id, minRiskScore: 40, includeBelowThreshold: true },
  });
});

const DETAILS = `GET /api/v1/discovery/enhanced/findings/${ID}`;
const VERIFY = `POST /api/v1/discovery/enhanced/findings/${ID}/verify`;
const theDetails = {
  ...aFinding,
  context: [],
  file: { owner: "app", group: "app", mode: "644", modified_at: AT },
  remediation_steps: ["Change the password."],
  compliance_impact: [{ framework: "pci_dss", control: "8.6.2", text: "No passwords in files." }],
  risk_factors: [{ factor: "Kind of secret", points: 45 }],
  fix: null,
  history: [],
  same_secret: [],
};

test("a link opens the details of a finding that is not in the loaded list", async () => {
  api.on(FINDINGS, page());
  api.on(DETAILS, { json: theDetails });
  const { user } = show(`&finding=${ID}`);
  const dialog = within(await screen.findByRole("dialog", { name: "Security Finding Details" }));
  expect(await dialog.findByText("Password in db.conf")).toBeTruthy();
  expect(dialog.getByText("web-01 (web-01.internal)")).toBeTruthy();
  expect(dialog.getByText("PCI DSS 8.6.2")).toBeTruthy();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test.each(["certificate", "host_key", "password_hash"])("a finding of the class %s cannot be vaulted", async (kind) => {
  api.on(DETAILS, { json: { ...theDetails, class: kind } });
  show(`&finding=${ID}`);
  const dialog = within(await screen.findByRole("dialog", { name: "Security Finding Details" }));
  expect(await dialog.findByRole("button", { name: "Change Status" })).toBeTruthy();
  expect(dialog.queryByRole("button", { name: /^(Verify|Vault)$/ })).toBeNull();
});

test("vaulting suggests the login with which the secret was verified", async () => {
  api.on(DETAILS, { json: theDetails });
  api.on(VERIFY, { json: { liveness: "live", message: "Logged in.", verified_at: AT } });
  const { user } = show(`&finding=${ID}`);
  await user.click(await screen.findByRole("button", { name: "Verify" }));
  const verify = within(await screen.findByRole("dialog", { name: "Verify Secret" }));
  await user.type(verify.getByRole("textbox", { name: "Host" }), "db-1");
  await user.type(verify.getByRole("textbox", { name: "Port" }), "6432");
  await user.click(verify.getByRole("button", { name: "Verify" }));
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Verify Secret" })).toBeNull());
  await user.click(screen.getByRole("button", { name: "Vault" }));
  const vault = within(await screen.findByRole("dialog", { name: "Vault Findings" }));
  expect(vault.getByRole<HTMLInputElement>("textbox", { name: "Host" }).value).toBe("db-1");
  expect(vault.getByRole<HTMLInputElement>("textbox", { name: "Port" }).value).toBe("6432");
});

test("a single letter is not searched", async () => {
  show("&search=w");
  await screen.findByText("Password in db.conf");
  expect(api.requestsTo(FINDINGS)[0]!.query.get("search")).toBeNull();
});

test("FIND-01, FIND-11: the list refreshes every 15 s", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    show();
    await screen.findByText("Password in db.conf");
    vi.advanceTimersByTime(14_900);
    expect(api.requestsTo(FINDINGS)).toHaveLength(1);
    api.on(FINDINGS, page({ ...aFinding, title: "Password in new.conf" }));
    vi.advanceTimersByTime(200);
    await screen.findByText("Password in new.conf");
    expect(api.requestsTo(FINDINGS)).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test("FIND-02, FIND-15, OPEN-119: Investigate moves a new finding to investigating", async () => {
  api.on(STATUS, { json: { ...aFinding, status: "investigating" } });
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Investigate Password in db.conf on web-01.internal" }));
  expect(await screen.findByText("Finding status updated to investigating")).toBeTruthy();
  expect(api.requestsTo(STATUS)[0]!.body).toEqual({ status: "investigating" });
});

test("FIND-18: a failed change says so", async () => {
  api.on(STATUS, problem(409, "finding.not-new", "Only a scan can make a finding new."));
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: /^Investigate / }));
  expect(await screen.findByText("Failed to update finding status")).toBeTruthy();
});

test("a finding that the user cannot manage has no actions but its details", async () => {
  api.on(FINDINGS, page({ ...aFinding, can_manage: false }));
  show();
  const list = within(await screen.findByRole("list", { name: "Security findings" }));
  expect(list.getAllByRole("button").map(({ textContent }) => textContent)).toEqual(["Details"]);
  expect(list.queryByRole("checkbox")).toBeNull();
});

test("FIND-03: several findings change with a reason; those that failed are reported", async () => {
  const failed = [{ id: ID, code: "finding.not-allowed", message: "You need permission." }];
  api.on(BULK, { json: { changed: 0, failed, message: "Finding status updated to accepted" } });
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: /^Select Password/ }));
  await user.click(screen.getByRole("button", { name: "Change Status" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Change Status" }));
  await user.type(dialog.getByRole("textbox", { name: "Reason" }), "Known");
  await user.click(dialog.getByRole("button", { name: "Change Status" }));
  expect(await screen.findByText("You need permission.")).toBeTruthy();
  expect(screen.queryByText("Finding status updated to accepted")).toBeNull();
  expect(api.requestsTo(BULK)[0]!.body).toEqual({ findingIds: [ID], status: "investigating", reason: "Known" });
});

test("FIND-13, FIND-19: vaulting sends the settings, and a failure keeps the dialog", async () => {
  const failed = [{ id: ID, code: "finding.login-unknown", message: "Choose its type." }];
  api.on(VAULT, { json: { vaulted: 0, accounts: [], failed, message: "Vaulted 0 finding(s) successfully" } });
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: /^Select Password/ }));
  await user.click(screen.getByRole("button", { name: "Vault" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Vault Findings" }));
  await user.click(dialog.getByRole("button", { name: "Vault" }));
  expect(await dialog.findByText("Failed to vault findings")).toBeTruthy();
  expect(dialog.getByText("Choose its type.")).toBeTruthy();
  expect(api.requestsTo(VAULT)[0]!.body).toEqual({
    findingIds: [ID],
    vaultSettings: { rotationPolicy: "30days", monitoring: true, autoRotate: false, accessLevel: "high" },
    fixFiles: false,
    useReferences: false,
    login: { username: "app" },
  });
});

test.each([
  ["Rotate the secret and update the file", { fixFiles: true, useReferences: false }],
  ["Replace the secret with a reference", { fixFiles: false, useReferences: true }],
])("FIND-16: “%s” is sent", async (name, sent) => {
  api.on(VAULT, { json: { vaulted: 1, accounts: [], failed: [], message: "Vaulted 1 finding(s) successfully" } });
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: /^Select Password/ }));
  await user.click(screen.getByRole("button", { name: "Vault" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Vault Findings" }));
  await user.click(dialog.getByRole("radio", { name }));
  await user.click(dialog.getByRole("button", { name: "Vault" }));
  expect(await screen.findByText("Vaulted 1 finding(s) successfully")).toBeTruthy();
  expect(api.requestsTo(VAULT)[0]!.body).toMatchObject(sent);
});

test("rules are listed with their review dates, and deleted after a confirmation", async () => {
  const rule = {
    id: ID,
    target_id: TARGET_ID,
    kind: "path",
    pattern: "/srv/samples/*",
    reason: "Sample data",
    review_at: AT,
    created_by: "Ada",
    created_at: AT,
    can_manage: true,
  };
  const RULES = "GET /api/v1/discovery/enhanced/finding-rules";
  const DELETION = `DELETE /api/v1/discovery/enhanced/finding-rules/${ID}`;
  api.on(RULES, { json: { data: [rule] } });
  api.on(DELETION, { json: { message: "Rule deleted successfully" } });
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Rules" }));
  const dialog = within(await screen.findByRole("dialog", { name: "False-Positive Rules" }));
  await dialog.findByText("Sample data");
  await user.click(dialog.getByRole("button", { name: "Delete the rule Path: /srv/samples/*" }));
  const question = within(await screen.findByRole("dialog", { name: "Delete Rule" }));
  api.on(RULES, { json: { data: [] } });
  await user.click(question.getByRole("button", { name: "Delete" }));
  expect(await screen.findByText("Rule deleted successfully")).toBeTruthy();
  expect(await screen.findByText("No rules")).toBeTruthy();
  expect(api.requestsTo(DELETION)).toHaveLength(1);
});

test("FIND-20: a failed export says so", async () => {
  api.on(EXPORT, problem(503, "database.away", "The database is away."));
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Export" }));
  await user.click(await screen.findByRole("menuitem", { name: "SARIF" }));
  expect(await screen.findByText("Failed to export findings", undefined, { timeout: 20_000 })).toBeTruthy();
  await waitFor(() => expect(api.requestsTo(EXPORT)[0]!.body).toMatchObject({ format: "sarif" }));
});

test("the secret of a database can be vaulted, but no file is offered to change", async () => {
  const finding_data = { ...aFinding.finding_data, file_path: "column:shop.public.settings.value" };
  api.on(FINDINGS, page({ ...aFinding, finding_data }));
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: /^Select Password/ }));
  await user.click(screen.getByRole("button", { name: "Vault" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Vault Findings" }));
  expect(dialog.getByText(/^Reads 1 place again/)).toBeTruthy();
  expect(dialog.queryByRole("radio")).toBeNull();
});
