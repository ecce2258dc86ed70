import { screen, waitFor, within } from "@testing-library/react";
import type { AuditLog } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { absoluteTime } from "#shared/format/time.ts";
import AuditPage from "./audit-page.tsx";

const LIST = "GET /api/v1/audit";
const COUNTS = "GET /api/v1/audit/counts";
const LOGS = "GET /api/v1/audit/logs";
const VERIFY = "POST /api/v1/audit/verify";
const CONTRADICTIONS = "GET /api/v1/audit/contradictions";
const ACCEPT = "POST /api/v1/audit/contradictions/accept";
const KEY = "strongroom/test+1f2e3d4c+AfK3l0pQ9sX2m5n8b1v4c7z0";

const entry = (n: number, given: Partial<AuditLog> = {}) => ({
  id: `44444444-4444-4444-8444-4444444444${String(n).padStart(2, "0")}`,
  action: "Credential revealed",
  event: "credential.revealed",
  result: "success",
  summary: `Entry ${n}`,
  metadata: { ip: "10.0.0.7" },
  user: { id: null, name: "Dana Test", email: null },
  timestamp: new Date(Date.now() - 5 * 60_000).toISOString(),
  target: null,
  leaf_index: n,
  event_type: null,
  status: "success",
  account_name: null,
  session_name: null,
  user_email: null,
  verification_method: null,
  error_message: null,
  details: { hostname: null, system_type: null, duration_ms: null, severity: "low", triggered_by: null },
  ...given,
});

const contradiction = {
  id: "0190c0de-0000-7000-8000-000000000001",
  source: "checkpoint",
  kind: "truncated",
  message: "the log ends at 60 but the checkpoint in the data folder signed 100 entries: entries 60 to 99 are gone",
  leaf_index: 60,
  stops_signing: true,
  known_checkpoint: "strongroom/test\n100\nroot\n",
  stored_checkpoint: "strongroom/test\n60\nroot\n",
  found_at: new Date().toISOString(),
  accepted_at: null,
  accepted_by: null,
  reason: null,
};

let api: TestApi;
const saved: { name: string; content: Blob }[] = [];

beforeEach(async () => {
  signInForTest({ role: "manager" });
  saved.length = 0;
  let content: Blob;
  // jsdom supports neither object URLs nor downloads, so the tests capture the content at the last step.
  URL.createObjectURL = vi.fn((blob: Blob) => {
    content = blob;
    return "blob:test";
  });
  URL.revokeObjectURL = vi.fn();
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, content });
  });
  api = await startApi({
    [LIST]: { json: { logs: [entry(1)], next_cursor: null } },
    [COUNTS]: { json: { total: 31, successful: 27, failed: 3, jit: 2, is_exact: true } },
    [CONTRADICTIONS]: { json: { open: [], accepted: [], checkpoint: null, size: 0 } },
    "GET /api/v1/audit/checkpoint": {
      json: {
        checkpoint: "strongroom/test\n5200\nroot\n",
        size: 5200,
        signed_at: new Date().toISOString(),
        pending: 3,
        verifier_key: KEY,
      },
    },
  });
});
afterEach(() => api.close());

async function openAudit(at = "/audit-logs") {
  const view = renderScreen(<AuditPage />, { at });
  await screen.findByText("Entry 1");
  return view;
}

describe("the audit page", () => {
  test("PLACE-04, OPEN-144: shows the specified heading and sentence", async () => {
    await openAudit();
    expect(screen.getByRole("heading", { level: 1, name: "Audit Logs" })).toBeTruthy();
    expect(screen.getByText("Review audit trails and compliance reports")).toBeTruthy();
  });

  test("OPEN-133: a user sees which roles have access, and the page sends no requests", async () => {
    signInForTest({ role: "user" });
    renderScreen(<AuditPage />, { at: "/audit-logs" });
    expect(screen.getByText("Only managers and administrators can read the whole audit trail.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Verify" })).toBeNull();
    expect(api.requests).toEqual([]);
  });

  test("SHELL-29 to SHELL-33: shows the trail", async () => {
    await openAudit();
    const trail = within(screen.getByRole("region", { name: "Audit Trail" }));
    expect(trail.getByText("Credential revealed")).toBeTruthy();
    expect(trail.getByText("Success")).toBeTruthy();
    expect(trail.getByText("Dana Test")).toBeTruthy();
    expect(trail.getByTitle("5m ago").textContent).toContain(String(new Date().getFullYear()));
  });

  test("shows only the entries of a person who is selected, until the filter is removed", async () => {
    const id = "55555555-5555-4555-8555-555555555555" as AuditLog["user"]["id"];
    api.on(LIST, { json: { logs: [entry(1, { user: { id, name: "Dana Test", email: null } })], next_cursor: null } });
    const { user, router } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Dana Test" }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("actor_id")).toBe(id));
    await user.click(screen.getByRole("button", { name: "Remove filter: One person" }));
    expect(router.state.location.search).not.toContain("actor");
  });

  test("AUDIT-02, AUDIT-05, AUDIT-07, AUDIT-11: shows its tabs, counters and buttons, and severities only where they apply", async () => {
    const { user } = await openAudit();
    for (const label of ["All Events", "Regular Verification", "JIT Verification", "Critical Failures"]) {
      expect(screen.getByRole("tab", { name: label })).toBeTruthy();
    }
    for (const [label, count] of [
      ["Total Events", "31"],
      ["Successful", "27"],
      ["Failed", "3"],
      ["JIT Events", "2"],
    ]) {
      expect((await screen.findByRole("article", { name: label! })).textContent).toContain(count);
    }
    expect(screen.getByRole("combobox", { name: "Severity" })).toBeTruthy();
    await user.click(screen.getByRole("tab", { name: "JIT Verification" }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("view")).toBe("jit"));
    expect(screen.queryByRole("combobox", { name: "Severity" })).toBeNull();
    await user.click(screen.getByRole("tab", { name: "Critical Failures" }));
    expect(await screen.findByRole("combobox", { name: "Severity" })).toBeTruthy();
    await waitFor(() => expect(api.requestsTo(COUNTS).at(-1)?.query.get("view")).toBe("critical"));
    const before = api.requestsTo(LIST).length;
    await user.click(await screen.findByRole("button", { name: "Refresh" }));
    await waitFor(() => expect(api.requestsTo(LIST).length).toBe(before + 1));
  });

  test("AUDIT-09, AUDIT-10: has Previous and Next with 25 entries per page, and shows the current range", async () => {
    const first = Array.from({ length: 25 }, (_, index) => entry(index + 1));
    api.on(LIST, ({ query }) =>
      query.get("cursor") === null
        ? { json: { logs: first, next_cursor: "older" } }
        : { json: { logs: Array.from({ length: 6 }, (_, index) => entry(index + 26)), next_cursor: null } },
    );
    const { user } = await openAudit();
    expect(await screen.findByText("Showing 1 to 25 of 31 events")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Previous" }).hasAttribute("disabled")).toBe(true);
    await user.click(screen.getByRole("button", { name: "Next" }));
    expect(await screen.findByText("Entry 26")).toBeTruthy();
    expect(screen.getByText("Showing 26 to 31 of 31 events")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Next" }).hasAttribute("disabled")).toBe(true);
    expect(api.requestsTo(LIST).map(({ query }) => [query.get("limit"), query.get("cursor")])).toEqual([
      ["25", null],
      ["25", "older"],
    ]);
    await user.click(screen.getByRole("button", { name: "Previous" }));
    expect(await screen.findByText("Entry 1")).toBeTruthy();
  });

  test("AUDIT-03, AUDIT-18: debounces the search by half a second, and starts its results at page one", async () => {
    api.on(LIST, { json: { logs: [entry(1)], next_cursor: "older" } });
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Next" }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("cursor")).toBe("older"));
    const beganAt = performance.now();
    await user.type(screen.getByRole("searchbox", { name: "Search the audit trail" }), "db");
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("search")).toBe("db"));
    expect(performance.now() - beganAt).toBeGreaterThan(500);
    expect(api.requestsTo(LIST).at(-1)?.query.get("cursor")).toBeNull();
    expect(api.requestsTo(LIST).some(({ query }) => query.get("search") === "d")).toBe(false);
  });

  test("AUDIT-04, AUDIT-06, OPEN-130: filters by status, event and days, and keeps the filter in the address", async () => {
    const { user, router } = await openAudit();
    await user.click(screen.getByRole("combobox", { name: "Status" }));
    await user.click(await screen.findByRole("option", { name: "Pending" }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("status")).toBe("pending"));
    await user.click(screen.getByRole("combobox", { name: "Event" }));
    await user.click(await screen.findByRole("option", { name: "Credential revealed" }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("event")).toBe("credential.revealed"));
    await user.type(screen.getByLabelText("Start date"), "2026-11-02");
    await user.type(screen.getByLabelText("End date"), "2026-11-03");
    const [from, to] = [new Date(2026, 10, 2), new Date(new Date(2026, 10, 4).getTime() - 1)].map((at) =>
      at.toISOString(),
    );
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("to")).toBe(to));
    expect(api.requestsTo(LIST).at(-1)?.query.get("from")).toBe(from);
    expect(router.state.location.search).toBe(
      "?status=pending&event=credential.revealed&from=2026-11-02&to=2026-11-03",
    );
  });

  test("shows a verification as one row that expands to its start", async () => {
    const started = {
      ...entry(1),
      action: "Verification started",
      user: { id: null, name: "Rosa Rota", email: null },
    } as AuditLog;
    api.on(LIST, {
      json: {
        logs: [
          entry(2, {
            action: "Account validated",
            metadata: { duration: 1240, seen_at: "2026-11-22T08:00:00.000Z" },
            started,
          }),
        ],
        next_cursor: null,
      },
    });
    const { user } = renderScreen(<AuditPage />, { at: "/audit-logs" });
    await user.click(await screen.findByRole("button", { name: "View details of Account validated" }));
    expect(api.requestsTo(LIST).at(-1)?.query.get("attempts")).toBe("grouped");
    expect(api.requestsTo(COUNTS).at(-1)?.query.get("attempts")).toBe("grouped");
    const lines = screen.getAllByRole("listitem").filter((item) => item.textContent.includes("Verification started"));
    expect(lines).toHaveLength(1);
    const line = within(lines[0]!);
    expect(line.getByText("Verification started").parentElement?.textContent).toContain("Rosa Rota");
    expect(line.getByText("1.24 s")).toBeTruthy();
    expect(line.getByText(absoluteTime("2026-11-22T08:00:00.000Z"))).toBeTruthy();
  });

  test("AUDIT-15: shows an entry with neither success nor failure as pending, including a warning", async () => {
    api.on(LIST, {
      json: {
        logs: [
          entry(1, { summary: "First", result: "info", status: "pending" }),
          entry(2, { summary: "Second", result: "warning", status: "pending" }),
        ],
        next_cursor: null,
      },
    });
    renderScreen(<AuditPage />, { at: "/audit-logs" });
    const textOf = async (summary: string) => (await screen.findByText(summary)).closest("li")?.textContent ?? "";
    expect(await textOf("First")).toContain("Pending");
    expect(await textOf("First")).not.toContain("Info");
    expect(await textOf("Second")).toContain("PendingWarning");
  });

  test("AUDIT-20: Export saves the filtered list as JSON, and other formats take one more click", async () => {
    api.on(LOGS, { text: "{}" });
    const { user } = await openAudit("/audit-logs?view=critical");
    await user.click(screen.getByRole("button", { name: "Export" }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]?.name).toMatch(/^audit-logs-\d{4}-\d\d-\d\d\.json$/);
    await user.click(screen.getByRole("button", { name: "Export in another format" }));
    await user.click(await screen.findByRole("menuitem", { name: "CSV" }));
    await waitFor(() => expect(saved[1]?.name).toMatch(/\.csv$/));
    expect(api.requestsTo(LOGS).map(({ query }) => [query.get("format"), query.get("view")])).toEqual([
      ["json", "critical"],
      ["csv", "critical"],
    ]);
    // The file has every entry, including the start entries of verifications.
    expect(api.requestsTo(LOGS).some(({ query }) => query.has("attempts"))).toBe(false);
  });

  test("shows a retry button when the trail fails to load", async () => {
    api.on(LIST, problem(500, "internal", "The database is away."));
    const { user } = renderScreen(<AuditPage />, { at: "/audit-logs" });
    await screen.findByText("The database is away.");
    api.on(LIST, { json: { logs: [], next_cursor: null } });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("No audit logs found")).toBeTruthy();
  });

  test("shows the newest checkpoint, the key and the command that checks an export offline", async () => {
    await openAudit();
    const card = within(await screen.findByRole("region", { name: "Latest Checkpoint" }));
    expect(await card.findByText((5200).toLocaleString())).toBeTruthy();
    expect(card.getByText("3")).toBeTruthy();
    expect(screen.getByText(KEY)).toBeTruthy();
    expect(
      screen.getByText(new RegExp(`^npx strongroom audit verify audit-trail-[-0-9]+\\.jsonl --key `)).textContent,
    ).toContain(KEY);
    expect(screen.getByRole("button", { name: "Copy verifier key" })).toBeTruthy();
  });

  test("Verify reports an intact trail", async () => {
    api.on(VERIFY, { json: { is_intact: true, checked: 5200, findings: [], checkpoint: null } });
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText("The audit trail is intact")).toBeTruthy();
    expect(screen.getByText(/5,200 entries checked/)).toBeTruthy();
  });

  test("Verify lists the problems it found", async () => {
    const findings = [{ kind: "changed", leaf_index: 4711, message: "Entry 4711 is not what was signed." }];
    api.on(VERIFY, { json: { is_intact: false, checked: 5200, findings, checkpoint: null } });
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText("The audit trail was tampered with")).toBeTruthy();
    expect(screen.getByText(/Entry 4711 is not what was signed\./)).toBeTruthy();
  });

  test("Export with proofs saves the whole trail as a file", async () => {
    api.on("GET /api/v1/audit/export", { text: '{"type":"header"}\n' });
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Export with Proofs" }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]?.name).toMatch(/^audit-trail-\d{4}-\d\d-\d\d\.jsonl$/);
    expect(await saved[0]?.content.text()).toBe('{"type":"header"}\n');
  });

  test("an entry shows its inclusion proof, and the evidence can be saved as a file", async () => {
    api.on("GET /api/v1/audit/:id/proof", {
      json: {
        leaf_index: 1,
        leaf_hash: "bGVhZg==",
        tree_size: 5200,
        root_hash: "cm9vdA==",
        hashes: ["b25l", "dHdv"],
        checkpoint: "strongroom/test\n5200\nroot\n",
        signed_at: new Date().toISOString(),
      },
    });
    api.on("GET /api/v1/audit/:id/evidence", { text: "proof" });
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Proof of Credential revealed" }));
    for (const text of ["bGVhZg==", "cm9vdA==", "b25l", "dHdv"]) expect(await screen.findByText(text)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Download evidence of Credential revealed" }));
    await waitFor(() => expect(saved.map(({ name }) => name)).toEqual([`audit-evidence-${entry(1).id}.jsonl`]));
  });

  test("a refused export shows the error and saves no file", async () => {
    api.on("GET /api/v1/audit/export", problem(503, "audit.no-checkpoint", "Nothing is signed yet."));
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Export with Proofs" }));
    expect(await screen.findByText("Failed to export the audit trail: Nothing is signed yet.")).toBeTruthy();
    expect(saved).toEqual([]);
  });
});

describe("contradictions in the audit trail", () => {
  const open = { open: [contradiction], accepted: [], checkpoint: contradiction.stored_checkpoint, size: 60 };

  test("a manager sees the contradiction and both checkpoints, but cannot decide", async () => {
    api.on(CONTRADICTIONS, { json: open });
    await openAudit();
    const alert = within(await screen.findByRole("alert"));
    expect(alert.getByText(/The log ends at 60 but the checkpoint in the data folder signed 100 entries/)).toBeTruthy();
    expect(alert.getByText(/not signed until an administrator decides/)).toBeTruthy();
    expect(alert.getByText("Known outside the database")).toBeTruthy();
    expect(alert.queryByRole("button", { name: "Accept the Database as It Is" })).toBeNull();
  });

  test("an administrator accepts only with a reason and a confirmation", async () => {
    signInForTest({ role: "admin" });
    api.on(CONTRADICTIONS, { json: open });
    api.on(ACCEPT, { json: { accepted: 1, checkpoint: open.checkpoint } });
    const { user } = await openAudit();
    await user.click(await screen.findByRole("button", { name: "Accept the Database as It Is" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Accept" }));
    expect(await dialog.findByText("Enter a reason")).toBeTruthy();
    expect(dialog.getByText("Confirm this first")).toBeTruthy();
    expect(api.requestsTo(ACCEPT)).toEqual([]);
    await user.type(dialog.getByRole("textbox", { name: /Reason/ }), "Restored the backup of 3 May");
    await user.click(dialog.getByRole("checkbox"));
    await user.click(dialog.getByRole("button", { name: "Accept" }));
    await waitFor(() =>
      expect(api.requestsTo(ACCEPT).at(-1)?.body).toEqual({
        ids: [contradiction.id],
        checkpoint: open.checkpoint,
        reason: "Restored the backup of 3 May",
      }),
    );
  });

  test("decisions stay visible with the deciding administrator and the reason", async () => {
    const accepted = {
      ...contradiction,
      accepted_at: new Date().toISOString(),
      accepted_by: "Dana Test",
      reason: "Restored a backup",
    };
    api.on(CONTRADICTIONS, { json: { ...open, open: [], accepted: [accepted] } });
    await openAudit();
    expect(await screen.findByText("1 accepted contradiction")).toBeTruthy();
    expect(screen.getByText(/by Dana Test, “Restored a backup”/)).toBeTruthy();
  });
});
