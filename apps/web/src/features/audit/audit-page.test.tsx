import { screen, waitFor, within } from "@testing-library/react";
import type { AuditLogEntry } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import AuditPage from "./audit-page.tsx";

const LIST = "GET /api/v1/audit";
const VERIFY = "POST /api/v1/audit/verify";
const KEY = "strongroom/test+1f2e3d4c+AfK3l0pQ9sX2m5n8b1v4c7z0";

const entry = (n: number, given: Partial<AuditLogEntry> = {}) => ({
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
  ...given,
});

let api: TestApi;
const saved: { name: string; content: Blob }[] = [];

beforeEach(async () => {
  signInForTest({ role: "manager" });
  saved.length = 0;
  let content: Blob;
  // jsdom neither makes object URLs nor downloads: what would be saved is caught at the last step.
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
  test("PLACE-04, OPEN-144: keeps its heading and sentence", async () => {
    await openAudit();
    expect(screen.getByRole("heading", { level: 1, name: "Audit Logs" })).toBeTruthy();
    expect(screen.getByText("Review audit trails and compliance reports.")).toBeTruthy();
  });

  test("OPEN-133: a user is told who may read it, and nothing is asked of the server", async () => {
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
    expect(trail.getByText("5m ago")).toBeTruthy();
  });

  test("pages of 25 are loaded one after the other", async () => {
    api.on(LIST, ({ query }) =>
      query.get("cursor") === null
        ? { json: { logs: [entry(1)], next_cursor: "older" } }
        : { json: { logs: [entry(2)], next_cursor: null } },
    );
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Load more" }));
    expect(await screen.findByText("Entry 2")).toBeTruthy();
    expect(api.requestsTo(LIST).map(({ query }) => [query.get("limit"), query.get("cursor")])).toEqual([
      ["25", null],
      ["25", "older"],
    ]);
  });

  test("event and result narrow the trail, and the address remembers both", async () => {
    const { user, router } = await openAudit();
    await user.click(screen.getByRole("combobox", { name: "Result" }));
    await user.click(await screen.findByRole("option", { name: "Failure" }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("result")).toBe("failure"));
    await user.click(screen.getByRole("combobox", { name: "Event" }));
    await user.click(await screen.findByRole("option", { name: "Credential revealed" }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("event")).toBe("credential.revealed"));
    expect(router.state.location.search).toBe("?result=failure&event=credential.revealed");
  });

  test("a trail that cannot be had can be tried again", async () => {
    api.on(LIST, problem(500, "internal", "The database is away."));
    const { user } = renderScreen(<AuditPage />, { at: "/audit-logs" });
    await screen.findByText("The database is away.");
    api.on(LIST, { json: { logs: [], next_cursor: null } });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("No audit logs found")).toBeTruthy();
  });

  test("shows the newest checkpoint, the key and the command that checks an export offline", async () => {
    await openAudit();
    const card = within(await screen.findByRole("region", { name: "Newest checkpoint" }));
    expect(card.getByText((5200).toLocaleString())).toBeTruthy();
    expect(card.getByText("3")).toBeTruthy();
    expect(screen.getByText(KEY)).toBeTruthy();
    expect(
      screen.getByText(new RegExp(`^npx strongroom audit verify audit-trail-[-0-9]+\\.jsonl --key `)).textContent,
    ).toContain(KEY);
    expect(screen.getByRole("button", { name: "Copy verifier key" })).toBeTruthy();
  });

  test("Verify says that the trail is intact", async () => {
    api.on(VERIFY, { json: { is_intact: true, checked: 5200, findings: [], checkpoint: null } });
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText("The audit trail is intact")).toBeTruthy();
    expect(screen.getByText(/5,200 entries checked/)).toBeTruthy();
  });

  test("Verify names what was found", async () => {
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
    await user.click(screen.getByRole("button", { name: "Export with proofs" }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]?.name).toMatch(/^audit-trail-\d{4}-\d\d-\d\d\.jsonl$/);
    expect(await saved[0]?.content.text()).toBe('{"type":"header"}\n');
  });

  test("an entry's evidence is saved as a file of its own", async () => {
    api.on("GET /api/v1/audit/:id/evidence", { text: "proof" });
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Evidence of Credential revealed" }));
    await waitFor(() => expect(saved.map(({ name }) => name)).toEqual([`audit-evidence-${entry(1).id}.jsonl`]));
  });

  test("an export that was refused says so, and saves nothing", async () => {
    api.on("GET /api/v1/audit/export", problem(503, "audit.no-checkpoint", "Nothing is signed yet."));
    const { user } = await openAudit();
    await user.click(screen.getByRole("button", { name: "Export with proofs" }));
    expect(await screen.findByText("Failed to export the audit trail: Nothing is signed yet.")).toBeTruthy();
    expect(saved).toEqual([]);
  });
});
