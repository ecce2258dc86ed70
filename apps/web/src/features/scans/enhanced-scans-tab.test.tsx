// Tests of the Enhanced Scans tab and of the dialog that starts a scan.
import { screen, waitFor, within } from "@testing-library/react";
import { DiscoveryTarget, ScanStatus } from "@strongroom/contract";
import { useState } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { ENHANCED_SCAN } from "./enhanced-scan-action.ts";
import { EnhancedScansTab, useEnhancedScansTab } from "./enhanced-scans-tab.tsx";

const SCANS = "GET /api/v1/discovery/enhanced/scans";
const SCHEDULES = "GET /api/v1/discovery/enhanced/schedules";
const CONFIGS = "GET /api/v1/discovery/enhanced/scan-configs";
const [SCAN_ID, TARGET_ID, OTHER_ID] = ["1", "2", "3"].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
const START = `POST /api/v1/discovery/enhanced/targets/${TARGET_ID}/enhanced-scan`;
const AT = "2026-11-20T10:00:00.000Z";
const config = {
  scanType: "enhanced",
  scanHardcodedPasswords: true,
  scanSshKeys: true,
  scanCertificates: true,
  scanServiceAccounts: true,
  scanSharedAccounts: true,
  scanCredentialExposure: true,
  scanProcesses: false,
  autoVaultFindings: false,
  riskThreshold: "medium",
  scanDepth: "standard",
  includeSystemFiles: false,
  filePatterns: ["*.conf", "*.config", "*.ini", "*.env", "*.properties"],
  excludePatterns: ["/tmp/*", "/var/tmp/*", "*.log"],
  maxFileSize: 10_485_760,
  timeoutSeconds: 300,
  maxLoadPerCore: null,
  readAgain: false,
};
const aScan = {
  id: SCAN_ID,
  target_id: TARGET_ID,
  target: { name: "web-01", hostname: "web-01.internal", target_type: "linux" },
  scan_type: "enhanced",
  status: "running",
  progress: 42,
  created_at: AT,
  started_at: AT,
  completed_at: null,
  duration_seconds: null,
  error: null,
  error_message: null,
  results: {
    findings_discovered: 3,
    accounts_discovered: 0,
    secrets_found: 2,
    compliance_violations: 3,
    risk_score: 65,
    new_findings: 1,
    fixed_findings: 0,
  },
  coverage: {
    files_found: 100,
    files_read: 42,
    files_unchanged: 0,
    bytes_read: 1000,
    unread_count: 0,
    unread: [],
    limit: null,
    way: null,
    as_root: false,
  },
  scan_config: config,
  compliance_frameworks: ["sox"],
  auto_vault: false,
  requested_by: "Ada",
  can_manage: true,
};
const target = DiscoveryTarget.parse({
  id: TARGET_ID,
  name: "web-01",
  description: null,
  target_type: "linux",
  hostname: "web-01.internal",
  connection_method: "ssh",
  credential_id: OTHER_ID,
  settings: { port: 22, timeout: 30_000 },
  safe_id: OTHER_ID,
  safe_name: "Web servers",
  is_active: true,
  host_key: null,
  offered_host_key: null,
  schedule: null,
  next_scan_at: null,
  last_scan: null,
  last_enhanced_scan: null,
  can_manage: true,
  has_enhanced_scans: true,
  created_at: AT,
  updated_at: AT,
});
const page = (...data: object[]) => ({ json: { data, total: data.length, limit: 50, offset: 0 } });

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ [SCANS]: page(aScan), [CONFIGS]: { json: { data: [] } }, [SCHEDULES]: page() });
});
afterEach(() => api.close());

test("SCAN-27: a running scan shows its percent and can be cancelled", async () => {
  api.on(`POST /api/v1/discovery/enhanced/scans/${SCAN_ID}/cancel`, { json: { ...aScan, status: "cancelled" } });
  const { user } = renderScreen(<EnhancedScansTab />);
  expect(await screen.findByText("42%")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Cancel the enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Cancel Enhanced Scan" }));
  await user.click(dialog.getByRole("button", { name: "Cancel Scan" }));
  expect(await screen.findByText("Enhanced scan cancelled successfully")).toBeTruthy();
});

test.each(ScanStatus.options)(
  "OPEN-114: the page polls for an enhanced scan only while it is pending or running: %s",
  async (status) => {
    api.on(SCANS, page({ ...aScan, status }));
    function Page() {
      const { card, isRunning } = useEnhancedScansTab();
      return card === undefined ? null : <p>{isRunning === true ? "polls" : "rests"}</p>;
    }
    renderScreen(<Page />);
    await screen.findByText(["pending", "running"].includes(status) ? "polls" : "rests");
  },
);

test("more than 20 scans are a table that sorts on the server and keeps its order in the address", async () => {
  const many = Array.from({ length: 21 }, (_, place) => ({
    ...aScan,
    id: `00000000-0000-4000-8000-${String(place).padStart(12, "0")}`,
    status: place === 0 ? "running" : "completed",
    target: { ...aScan.target, name: `web-${place}` },
  }));
  api.on(SCANS, page(...many));
  const { user, router } = renderScreen(<EnhancedScansTab />, { at: "/discovery?tab=enhanced-scans" });
  const table = within(await screen.findByRole("table", { name: "Enhanced scans" }));
  const asked = () => api.requestsTo(SCANS).at(-1)?.query.get("sort") ?? null;
  for (const [header, field] of [
    ["Target", "target"],
    ["Status", "status"],
    ["Started", "started"],
    ["Duration", "duration"],
    ["Findings", "findings"],
  ] as const) {
    await user.click(table.getByRole("button", { name: header }));
    await waitFor(() => expect(asked()).toBe(field));
    expect(router.state.location.search).toBe(`?tab=enhanced-scans&sort=${field}`);
  }
  expect(table.getByText("42%")).toBeTruthy();
  await user.click(screen.getByRole("combobox", { name: "Order" }));
  await user.click(await screen.findByRole("option", { name: "Newest first" }));
  await waitFor(() => expect(router.state.location.search).toBe("?tab=enhanced-scans"));
  await user.click(table.getByRole("button", { name: "Actions for the enhanced scan of web-0" }));
  await user.click(await screen.findByRole("menuitem", { name: "Cancel" }));
  expect(await screen.findByRole("dialog", { name: "Cancel Enhanced Scan" })).toBeTruthy();
});

test("SCAN-48: a failed cancel says so", async () => {
  const ended = problem(409, "scan.ended", "The scan has already ended.");
  api.on(`POST /api/v1/discovery/enhanced/scans/${SCAN_ID}/cancel`, ended);
  const { user } = renderScreen(<EnhancedScansTab />);
  await user.click(await screen.findByRole("button", { name: "Cancel the enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("button", { name: "Cancel Scan" }));
  expect(await screen.findByText("Failed to cancel enhanced scan")).toBeTruthy();
});

test("SCAN-28, SCAN-49: the tab has an empty state and a banner for a failed load", async () => {
  api.on(SCANS, page());
  const { unmount } = renderScreen(<EnhancedScansTab />);
  expect(await screen.findByText("No Enhanced Scans")).toBeTruthy();
  unmount();
  api.on(SCANS, problem(500, "internal", "The database is away."));
  renderScreen(<EnhancedScansTab />);
  expect((await screen.findByRole("alert")).textContent).toContain("Failed to load enhanced scans");
});

/** As the list of targets offers it. */
function EnhancedScanAction({ target: of }: { target: DiscoveryTarget }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" aria-label={ENHANCED_SCAN.nameOf(of)} onClick={() => setIsOpen(true)} />
      <ENHANCED_SCAN.Dialog targets={[of]} opened={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}

test("SCAN-31 to SCAN-43, SCAN-45: the dialog sends the documented defaults and reports the start", async () => {
  api.on(START, { status: 202, json: aScan });
  const { user } = renderScreen(<EnhancedScanAction target={target} />);
  await user.click(screen.getByRole("button", { name: "Enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Enhanced Security Discovery Scan" }));
  await user.click(dialog.getByRole("button", { name: "Start Enhanced Scan" }));
  expect(await screen.findByText("Enhanced security scan started successfully")).toBeTruthy();
  expect(api.requestsTo(START)[0]!.body).toEqual({
    scanConfig: config,
    complianceFrameworks: ["sox", "pci_dss"],
    autoVault: false,
  });
});

test("SCAN-32, SCAN-33, SCAN-44: the depth, each kind of secret, each framework and vaulting can be chosen", async () => {
  api.on(START, { status: 202, json: aScan });
  const { user } = renderScreen(<EnhancedScanAction target={target} />);
  await user.click(screen.getByRole("button", { name: "Enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Enhanced Security Discovery Scan" }));
  await user.click(dialog.getByRole("combobox", { name: "Scan depth" }));
  const depths = await screen.findAllByRole("option");
  expect(depths.map(({ textContent }) => textContent)).toEqual([
    "Quick (2-5 min)",
    "Standard (5-15 min)",
    "Deep (15-60 min)",
  ]);
  await user.click(depths[2]!);
  for (const toggle of dialog.getAllByRole("switch")) await user.click(toggle);
  for (const framework of dialog.getAllByRole("checkbox")) await user.click(framework);
  await user.click(dialog.getByRole("button", { name: "Start Enhanced Scan" }));
  await screen.findByText("Enhanced security scan started successfully");
  expect(api.requestsTo(START)[0]!.body).toEqual({
    scanConfig: {
      ...config,
      scanDepth: "deep",
      scanHardcodedPasswords: false,
      scanSshKeys: false,
      scanCertificates: false,
      scanServiceAccounts: false,
      scanSharedAccounts: false,
      scanCredentialExposure: false,
      scanProcesses: true,
      autoVaultFindings: true,
      includeSystemFiles: true,
      readAgain: true,
    },
    complianceFrameworks: ["soc2", "hipaa", "gdpr", "iso27001"],
    autoVault: true,
  });
});

test("SCAN-34: the form starts a scan with any numbers, and empty ones mean the defaults", async () => {
  api.on(START, { status: 202, json: aScan });
  const { user } = renderScreen(<EnhancedScanAction target={target} />);
  await user.click(screen.getByRole("button", { name: "Enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Enhanced Security Discovery Scan" }));
  const fill = async (name: string, text: string) => {
    await user.clear(dialog.getByRole("textbox", { name }));
    if (text !== "") await user.type(dialog.getByRole("textbox", { name }), text);
  };
  await fill("Maximum file size (MB)", "");
  await fill("Timeout (seconds)", "999999");
  await fill("Maximum load per core", "2.5");
  await user.click(dialog.getByRole("button", { name: "Start Enhanced Scan" }));
  await screen.findByText("Enhanced security scan started successfully");
  expect(api.requestsTo(START)[0]!.body).toMatchObject({
    scanConfig: { maxFileSize: 10_485_760, timeoutSeconds: 86_400, maxLoadPerCore: 2.5 },
  });
});

test("SCAN-46: a refused start shows the server's message", async () => {
  api.on(START, problem(409, "scan.open", "An enhanced scan is already running."));
  const { user } = renderScreen(<EnhancedScanAction target={target} />);
  await user.click(screen.getByRole("button", { name: "Enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("button", { name: "Start Enhanced Scan" }));
  expect(await dialog.findByText("An enhanced scan is already running.")).toBeTruthy();
});

const PLAN = `POST /api/v1/discovery/enhanced/targets/${TARGET_ID}/schedules`;
const aSchedule = {
  id: OTHER_ID,
  target_id: TARGET_ID,
  target: aScan.target,
  schedule: { cron: "0 2 * * *", timezone: "UTC", jitterMinutes: 30, window: null },
  scan_config: config,
  compliance_frameworks: ["sox", "pci_dss"],
  owner: "Ada",
  next_at: AT,
  problem: null,
  created_at: AT,
  can_manage: true,
};

test("an enhanced scan can be scheduled; scheduled scans store no secrets", async () => {
  api.on(PLAN, { status: 201, json: aSchedule });
  const { user } = renderScreen(<EnhancedScanAction target={target} />);
  await user.click(screen.getByRole("button", { name: "Enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("switch", { name: /^Vault findings as they are found/ }));
  await user.click(dialog.getByRole("combobox", { name: "Scans" }));
  await user.click(await screen.findByRole("option", { name: "Every day at 02:00" }));
  expect(dialog.queryByRole("switch", { name: /^Vault/ })).toBeNull();
  await user.type(dialog.getByRole("textbox", { name: "Not before" }), "night");
  await user.click(dialog.getByRole("button", { name: "Schedule Enhanced Scans" }));
  expect(await dialog.findAllByText("Enter a time such as 22:00")).toHaveLength(2);
  expect(api.requestsTo(PLAN)).toEqual([]);
  await user.clear(dialog.getByRole("textbox", { name: "Not before" }));
  await user.click(dialog.getByRole("button", { name: "Schedule Enhanced Scans" }));
  expect(await screen.findByText("Enhanced scans scheduled successfully")).toBeTruthy();
  expect(api.requestsTo(PLAN)[0]!.body).toMatchObject({
    schedule: { cron: "0 2 * * *", jitterMinutes: 30, window: null },
    scanConfig: config,
    complianceFrameworks: ["sox", "pci_dss"],
  });
});

test("the server's objection to a schedule is at its field", async () => {
  const msg = "This schedule never falls into its window.";
  const refused = problem(422, "discovery.schedule-invalid", msg, { errors: [{ path: "schedule.cron", msg }] });
  api.on(PLAN, refused);
  const { user } = renderScreen(<EnhancedScanAction target={target} />);
  await user.click(screen.getByRole("button", { name: "Enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("combobox", { name: "Scans" }));
  await user.click(await screen.findByRole("option", { name: "Every hour" }));
  await user.click(dialog.getByRole("button", { name: "Schedule Enhanced Scans" }));
  expect((await dialog.findAllByText(msg)).length).toBeGreaterThan(0);
});

test("schedules are listed with their problem and can be deleted by those who may", async () => {
  const stopped = "Ada may no longer scan this target, so the schedule has stopped.";
  const [other] = [{ ...aSchedule, id: SCAN_ID, next_at: null, problem: stopped, can_manage: false }];
  api.on(SCHEDULES, page(aSchedule, other));
  api.on(`DELETE /api/v1/discovery/enhanced/schedules/${OTHER_ID}`, { json: { message: "Deleted" } });
  const { user } = renderScreen(<EnhancedScansTab />);
  const list = within(await screen.findByRole("list", { name: "Schedules of enhanced scans" }));
  expect(list.getByText(stopped)).toBeTruthy();
  const buttons = list.getAllByRole("button");
  expect(buttons.map((button) => button.getAttribute("aria-label"))).toEqual([
    "Delete the schedule of web-01: Every day at 02:00 (UTC)",
  ]);
  await user.click(buttons[0]!);
  const dialog = within(await screen.findByRole("dialog", { name: "Delete Schedule" }));
  await user.click(dialog.getByRole("button", { name: "Delete Schedule" }));
  expect(await screen.findByText("Schedule deleted successfully")).toBeTruthy();
});

test("a failed load of the schedules is reported next to the scans", async () => {
  api.on(SCHEDULES, problem(500, "internal", "The database is away."));
  renderScreen(<EnhancedScansTab />);
  expect(await screen.findByText("42%")).toBeTruthy();
  expect((await screen.findByRole("alert")).textContent).toContain("Failed to load the schedules");
});

test("a target whose system cannot be scanned has no enhanced scan", () => {
  expect(ENHANCED_SCAN.isOffered(target)).toBe(true);
  expect(ENHANCED_SCAN.isOffered({ ...target, target_type: "database", has_enhanced_scans: false })).toBe(false);
  expect(ENHANCED_SCAN.isOffered({ ...target, is_active: false })).toBe(false);
});

test("the form for a database offers only what databases have", async () => {
  const { user } = renderScreen(<EnhancedScanAction target={{ ...target, target_type: "database" }} />);
  await user.click(screen.getByRole("button", { name: "Enhanced scan of web-01" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText(/looks for secrets in rows of its tables/)).toBeTruthy();
  expect(dialog.getByRole("textbox", { name: "Exclude patterns" })).toBeTruthy();
  for (const name of ["File patterns", "Maximum file size (MB)", "Maximum load per core"])
    expect(dialog.queryByRole("textbox", { name })).toBeNull();
  for (const name of ["Service accounts", "Shared accounts", "Running processes", /^Include system files/])
    expect(dialog.queryByRole("switch", { name })).toBeNull();
});

test("a scan of a database counts tables, and says what it could not read", async () => {
  const coverage = { ...aScan.coverage, files_read: 12, unread_count: 2, unread: ["shop.public.private", "hr"] };
  const scan = { ...aScan, status: "completed", target: { ...aScan.target, target_type: "database" }, coverage };
  api.on(SCANS, page(scan));
  api.on(`GET /api/v1/discovery/enhanced/scans/${SCAN_ID}`, { json: { ...scan, findings: [] } });
  const { user } = renderScreen(<EnhancedScansTab />);
  await user.click(await screen.findByRole("button", { name: /Details/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Enhanced Scan Details" }));
  expect(dialog.getByText(/^12 tables read, /)).toBeTruthy();
  expect(dialog.getByText("Read as superuser")).toBeTruthy();
  expect(dialog.getByText(/^2 tables and databases could not be read/)).toBeTruthy();
});
