import { screen, within } from "@testing-library/react";
import type { AuditSink, WitnessedLog } from "@strongroom/contract";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import IntegrationsPage from "./audit-sinks-page.tsx";
import { aSink, aWatchedLog } from "./testing/a-sink.ts";

const LIST = "GET /api/v1/audit/sinks";
const CREATE = "POST /api/v1/audit/sinks";
let api: TestApi;
let sinks: AuditSink[];
let logs: WitnessedLog[];
beforeEach(async () => {
  signInForTest({ role: "admin" });
  [sinks, logs] = [[aSink()], []];
  api = await startApi({
    [LIST]: () => ({ json: { sinks, size: 1204, folder: "/var/lib/strongroom/audit-sinks" } }),
    "GET /api/v1/audit/witness": () => ({ json: { witness_key: "strongroom/witness/one+11111111+BBBB", logs } }),
  });
});
// Loads the lazy form before the tests, so that none waits for it.
beforeAll(() => import("./sink-form.tsx"));
afterEach(() => api.close());

const open = () => renderScreen(<IntegrationsPage />, { at: "/integrations" });
const card = async (name: string) => within(await screen.findByRole("article", { name }));
const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

test("PLACE-03: shows its heading and sentence, and nothing else to an ordinary user", async () => {
  signInForTest({ role: "user" });
  open();
  expect(await screen.findByRole("heading", { name: "Integrations" })).toBeTruthy();
  expect(screen.getByText("Connect external identity, ticketing and logging systems")).toBeTruthy();
  expect(screen.getByText("Only administrators and managers can see integrations.")).toBeTruthy();
  expect(api.requestsTo(LIST)).toHaveLength(0);
});

describe("audit sinks", () => {
  test("audit sinks are grouped by content, each with its address and progress", async () => {
    const failing = {
      state: "failing",
      behind_entries: 37,
      behind_seconds: 130,
      last_error: "The disk is full.",
    } as const;
    const config = { kind: "file", name: "checkpoints.txt", rotate_megabytes: 10, keep_files: 3 } as const;
    sinks.push(aSink({ name: "On disk", content: "checkpoints", config }, failing));
    open();
    const siem = await card("Company SIEM");
    expect(siem.getByText("siem.example.com:6514 over TLS")).toBeTruthy();
    expect(siem.getByText("Up to date")).toBeTruthy();
    const file = await card("On disk");
    expect(file.getByText("Failing")).toBeTruthy();
    expect(file.getByText("The disk is full.")).toBeTruthy();
    expect(file.getByText(/^37 entries \(/)).toBeTruthy();
    const checkpoints = within(screen.getByRole("list", { name: "Checkpoints" }));
    expect(checkpoints.getAllByRole("article")).toHaveLength(1);
  });

  test("the list has an empty state with a first step, a retry after a failed load, and no actions for a manager", async () => {
    sinks = [];
    const { unmount } = open();
    expect(await screen.findByText("No integrations yet")).toBeTruthy();
    unmount();
    api.on(LIST, problem(500, "internal", "No"));
    const { unmount: again } = open();
    expect(await screen.findByText("Failed to load integrations")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
    again();
    signInForTest({ role: "manager" });
    api.on(LIST, { json: { sinks: [aSink()], size: 1, folder: "/f" } });
    open();
    await card("Company SIEM");
    expect(screen.queryByRole("button", { name: /Add|Test|Disable|Edit|Delete|Watch/ })).toBeNull();
  });

  test("an administrator adds a syslog server by its fields and a webhook with a signing key, and errors show at their fields", async () => {
    api.on(CREATE, ({ body }) => ({ status: 201, json: aSink({ name: (body as AuditSink).name }) }));
    const { user } = open();
    await user.click(await screen.findByRole("button", { name: "Add Sink" }));
    const form = await dialog("Add Sink");
    const fill = async (label: RegExp | string, text: string): Promise<void> => {
      await user.clear(await form.findByLabelText(label));
      await user.click(form.getByLabelText(label));
      await user.paste(text);
    };
    await fill(/^Name \*|^Name$/, "Hook");
    await user.selectOptions(form.getByLabelText("Kind"), "http");
    await fill(/^Address/, "ftp://siem");
    await fill("Signing key", "short");
    await user.click(form.getByRole("button", { name: "Add Sink" }));
    expect(await form.findByText("Must be a URL that begins with https:// or http://")).toBeTruthy();
    await fill(/^Address/, "https://siem.example.com/in");
    await user.click(form.getByRole("button", { name: "Generate a Key" }));
    await user.click(form.getByRole("button", { name: "Add Sink" }));
    expect(await screen.findByText("Sink added")).toBeTruthy();
    const sent = api.requestsTo(CREATE)[0]?.body as Record<string, unknown>;
    expect(sent).toMatchObject({
      name: "Hook",
      content: "entries",
      format: "json",
      starts: "beginning",
      config: { kind: "http", url: "https://siem.example.com/in", ca: null },
    });
    expect(String(sent["hmac_key"])).toHaveLength(44);
    expect(sent).not.toHaveProperty("client_key");
  });

  test("an edited sink keeps its stored secrets, and loses them only on request", async () => {
    const config = { kind: "http", url: "https://siem.example.com/in", ca: null } as const;
    sinks = [aSink({ name: "Hook", config, format: "json", has_hmac_key: true, has_authorization: true })];
    const EDIT = `PUT /api/v1/audit/sinks/${sinks[0]!.id}`;
    api.on(EDIT, { json: sinks[0] });
    const { user } = open();
    await user.click(await screen.findByRole("button", { name: "Edit Hook" }));
    const form = await dialog("Edit Sink");
    await user.click(await form.findByRole("checkbox", { name: "Remove the stored value (authorization)" }));
    await user.click(form.getByRole("button", { name: "Save Changes" }));
    expect(await screen.findByText("Sink updated")).toBeTruthy();
    const sent = api.requestsTo(EDIT)[0]?.body as Record<string, unknown>;
    expect(sent["authorization"]).toBeNull();
    expect(sent).not.toHaveProperty("hmac_key");
  });

  test("a sink can be tested, disabled, and deleted after confirmation", async () => {
    const at = `/api/v1/audit/sinks/${sinks[0]!.id}`;
    api.on(`POST ${at}/test`, { json: { has_arrived: false, message: "siem refused the connection." } });
    api.on(`POST ${at}/state`, { json: aSink({ is_enabled: false }) });
    api.on(`DELETE ${at}`, { json: { message: "gone" } });
    const { user } = open();
    await user.click(await screen.findByRole("button", { name: "Test Company SIEM" }));
    expect(await screen.findByText("siem refused the connection.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Disable Company SIEM" }));
    expect(await screen.findByText("Company SIEM was disabled")).toBeTruthy();
    expect(api.requestsTo(`POST ${at}/state`)[0]?.body).toEqual({ is_enabled: false });
    await user.click(screen.getByRole("button", { name: "Delete Company SIEM" }));
    await user.click((await dialog("Delete Sink")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Sink deleted")).toBeTruthy();
  });
});

describe("the witness", () => {
  test("the witness shows its key and the logs it watches, and highlights a rewritten log", async () => {
    const at = new Date().toISOString();
    const contradiction = { checkpoint: "…", message: "It signed two different histories of 40 entries.", at };
    logs = [aWatchedLog(), aWatchedLog({ name: "Branch", contradiction })];
    open();
    expect(await screen.findByText("strongroom/witness/one+11111111+BBBB")).toBeTruthy();
    const [consistent, contradicted] = within(screen.getByRole("list", { name: "Watched logs" })).getAllByRole(
      "listitem",
    );
    expect(consistent?.textContent).toContain("Consistent");
    expect(contradicted?.textContent).toContain("It signed two different histories");
  });

  test("an administrator adds another log by its key", async () => {
    const WATCH = "POST /api/v1/audit/witness/logs";
    api.on(WATCH, { status: 201, json: aWatchedLog() });
    const { user } = open();
    await user.click(await screen.findByRole("button", { name: "Watch a Log" }));
    const form = await dialog("Watch a Log");
    await user.type(form.getByLabelText(/^Name/), "Head office");
    await user.type(form.getByLabelText(/^Log key/), "strongroom/audit/x+00+AA");
    await user.click(form.getByRole("button", { name: "Watch" }));
    expect(await screen.findByText("Log added")).toBeTruthy();
    expect(api.requestsTo(WATCH)[0]?.body).toEqual({ name: "Head office", verifier_key: "strongroom/audit/x+00+AA" });
  });
});
