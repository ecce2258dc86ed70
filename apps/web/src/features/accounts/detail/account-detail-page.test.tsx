import { randomUUID } from "node:crypto";
import { act, screen, waitFor, within } from "@testing-library/react";
import { ACCOUNT_DETAILS, ACCOUNT_DETAIL_NAMES, recordOf } from "@strongroom/contract";
import type { Account, Platform, SecretVersion } from "@strongroom/contract";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type ApiAnswer, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { aRotation } from "#shared/rotation/testing/a-rotation.ts";
import AccountDetailPage from "./account-detail-page.tsx";
import { aPlatform, anAccount } from "../testing/an-account.ts";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi();
});
// Loads the form's lazy chunk before the tests.
beforeAll(() => import("../form/account-form.tsx"));
afterEach(() => api.close());

interface Given {
  account?: Partial<Account>;
  platform?: Partial<Platform>;
  versions?: SecretVersion[];
  rotations?: ReturnType<typeof aRotation>[];
}

async function openDetail({ account: given, platform, versions = [], rotations = [] }: Given = {}) {
  const account = anAccount(given);
  const path = `/api/v1/accounts/${account.id}`;
  api.on(`GET ${path}/details`, { json: account });
  api.on(`GET ${path}/versions`, { json: { versions } });
  api.on(`GET ${path}/rotations`, { json: { rotations, next_cursor: null } });
  api.on(`GET ${path}/dependents`, { json: { dependents: [] } });
  api.on(`GET ${path}/dependents/proposed`, { json: { proposed: [] } });
  api.on(`GET ${path}/access`, { json: { access: [], next_cursor: null } });
  api.on(`GET ${path}/history`, { json: { history: [], next_cursor: null } });
  api.on("GET /api/v1/platforms/:id", { json: aPlatform(platform) });
  api.on("GET /api/v1/platforms", { json: { platforms: [aPlatform(platform)] } });
  const view = renderScreen(<AccountDetailPage />, { at: `/accounts/${account.id}`, path: "/accounts/:id" });
  await screen.findByRole("heading", { level: 1, name: account.name });
  return { ...view, account, path };
}

const actions = () => within(screen.getByRole("region", { name: "Actions" }));

test("the page shows every detail of the account under its label", async () => {
  await openDetail({ account: recordOf(ACCOUNT_DETAIL_NAMES, (name) => `a value of ${name}`) });
  for (const name of ACCOUNT_DETAIL_NAMES) {
    expect(screen.getByText(ACCOUNT_DETAILS[name].label)).toBeTruthy();
    expect(screen.getByText(`a value of ${name}`)).toBeTruthy();
  }
});

describe("showing the password", () => {
  test("shows it after the justification that the platform requires, and removes it when the dialog closes", async () => {
    const { user, path } = await openDetail({ platform: { reason_required: true } });
    api.on(`GET ${path}`, problem(400, "account.reason-required", "Give a reason."));
    api.on(`POST ${path}/retrieve`, { json: { password: "s3cret-One", check_out: null } });
    await user.click(screen.getByRole("button", { name: "Show Password" }));
    const question = within(await screen.findByRole("dialog", { name: "Why do you need access?" }));
    await user.type(await question.findByRole("textbox", { name: "Reason" }), "Night call");
    await user.click(question.getByRole("button", { name: "Show Password" }));
    const shown = await screen.findByRole("list", { name: "Characters" });
    expect(within(shown).getAllByRole("listitem")).toHaveLength(10);
    expect(api.requestsTo(`POST ${path}/retrieve`).at(-1)?.body).toMatchObject({ reason: "Night call" });
    await user.click(screen.getByRole("button", { name: "Hide" }));
    await waitFor(() => expect(screen.queryByRole("list", { name: "Characters" })).toBeNull());
  });

  test("a refusal shows the server's reason", async () => {
    const { user, path } = await openDetail();
    api.on(`GET ${path}`, problem(409, "account.checked-out", "Dana has checked out this account."));
    await user.click(screen.getByRole("button", { name: "Show Password" }));
    expect(await screen.findByText("Dana has checked out this account.")).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Characters" })).toBeNull();
  });
});

describe("deleting an account", () => {
  test.each([
    ["OPEN-85: a user who waits goes to the list", false, "/accounts"],
    ["OPEN-85: a user who left the page gets the toast and stays there", true, "/vault"],
  ])("%s", async (_, leaves, address) => {
    const { user, router, account, path } = await openDetail();
    const answer = Promise.withResolvers<ApiAnswer>();
    api.on(`DELETE ${path}`, () => answer.promise);
    await user.click(actions().getByRole("button", { name: "Delete Account" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(api.requestsTo(`DELETE ${path}`)).toHaveLength(1));
    if (leaves) {
      await user.keyboard("{Escape}");
      await act(() => router.navigate("/vault"));
    }
    answer.resolve({ json: { message: "Deleted" } });
    expect(await screen.findByText(`Account "${account.name}" deleted successfully`)).toBeTruthy();
    expect((await screen.findByTestId("address")).textContent).toBe(address);
  });
});

describe("editing with partial permissions", () => {
  test("OPEN-149: with only the rename permission, the form shows just the name and sends the other fields unchanged", async () => {
    const { user, account, path } = await openDetail({ account: { my_permissions: ["list", "rename"] } });
    api.on(`PUT ${path}`, ({ body }) => ({ json: { ...account, ...(body as { name: string }) } }));
    expect(actions().getAllByRole("button")).toHaveLength(1);
    await user.click(actions().getByRole("button", { name: "Edit Account" }));
    const form = within(await screen.findByRole("dialog", { name: "Edit Account" }));
    const [name, ...others] = await form.findAllByRole("textbox");
    expect(others).toEqual([]);
    expect(form.queryByLabelText(/^Password/)).toBeNull();
    await user.type(name!, " again");
    await user.click(form.getByRole("button", { name: "Save Changes" }));
    await waitFor(() => expect(api.requestsTo(`PUT ${path}`)).toHaveLength(1));
    const sent = api.requestsTo(`PUT ${path}`)[0]?.body;
    expect(sent).toMatchObject({ name: "root on web1 again", hostname: "web1.internal", username: "root" });
    expect(sent).not.toHaveProperty("password");
  });

  test("with only the update_secret permission, the form shows just the password", async () => {
    const { user } = await openDetail({ account: { my_permissions: ["list", "update_secret"] } });
    await user.click(actions().getByRole("button", { name: "Edit Account" }));
    const form = within(await screen.findByRole("dialog", { name: "Edit Account" }));
    expect(await form.findByLabelText(/^Password/, { selector: "input" })).toBeTruthy();
    expect(form.queryByRole("textbox")).toBeNull();
  });
});

describe("an account with an access block", () => {
  const since = "2026-11-21T10:00:00.000Z";
  const message = "The rotation after the last use stopped.";

  test("shows the reason, disables Copy Password, and lets a secret manager allow access with a reason", async () => {
    const access_block = { state: "stopped", since, message, can_allow: true } as const;
    const { user, account, path } = await openDetail({ account: { access_block } });
    expect(within(screen.getByRole("alert")).getByText(message)).toBeTruthy();
    expect(screen.getAllByText("Rotation stopped").length).toBeGreaterThan(0);
    expect(screen.getByRole("button", { name: "Copy Password" })).toHaveProperty("disabled", true);
    api.on(`POST ${path}/allow-access`, { json: { ...account, access_block: null } });
    await user.click(screen.getByRole("button", { name: "Allow Access" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByRole("button", { name: "Allow Access" })).toHaveProperty("disabled", true);
    await user.type(dialog.getByRole("textbox", { name: /Reason/ }), "Payments are down");
    await user.click(dialog.getByRole("button", { name: "Allow Access" }));
    await waitFor(() => expect(api.requestsTo(`POST ${path}/allow-access`)).toHaveLength(1));
    expect(api.requestsTo(`POST ${path}/allow-access`)[0]!.body).toEqual({ reason: "Payments are down" });
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Copy Password" })).toHaveProperty("disabled", false),
    );
  });

  test("shows Rotating to other users, without Allow Access", async () => {
    const access_block = { state: "rotating", since, message: "It is being rotated.", can_allow: false } as const;
    await openDetail({ account: { access_block } });
    expect(screen.getAllByText("Rotating").length).toBeGreaterThan(0);
    expect(screen.queryByRole("button", { name: "Allow Access" })).toBeNull();
  });
});

describe("an account's rotation", () => {
  test("offers Reconcile only when the platform has a reconcile account, and warns when that account is not ready", async () => {
    const first = await openDetail();
    await waitFor(() => expect(api.requestsTo("GET /api/v1/platforms/:id")).toHaveLength(1));
    expect(actions().queryByRole("button", { name: "Reconcile" })).toBeNull();
    first.unmount();
    const reconcile_account_id = randomUUID() as Account["id"];
    const checked_at = new Date().toISOString();
    const reconcile_readiness = { is_ready: false, message: "It may not change others.", checked_at };
    const { user, path } = await openDetail({ platform: { reconcile_account_id, reconcile_readiness } });
    const RECONCILE = `POST ${path}/reconcile`;
    api.on(RECONCILE, { status: 202, json: { success: true, rotation_id: aRotation().id, message: "Begun" } });
    await user.click(await actions().findByRole("button", { name: "Reconcile" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Reconcile" }));
    expect(await dialog.findByText(/was not ready at its last check: It may not change others\./)).toBeTruthy();
    expect(api.requestsTo(RECONCILE)).toHaveLength(0);
    await user.click(dialog.getByRole("button", { name: "Reconcile" }));
    expect(await screen.findByText("Begun")).toBeTruthy();
  });

  test("a rotation that needs attention offers to store a known password", async () => {
    const waits = aRotation({ state: "attention", step: "stored", code: "old-refused", message: "web1 said no." });
    const { user } = await openDetail({ rotations: [waits] });
    const panel = within(screen.getByRole("region", { name: "Rotation" }));
    expect((await panel.findByRole("alert")).textContent).toBe("web1 said no.");
    await user.click(panel.getByRole("button", { name: "Store a Known Password" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Store a Known Password" }));
    await user.click(dialog.getByRole("button", { name: "Store Password" }));
    expect(dialog.getByText("Password is required")).toBeTruthy();
    const route = "PUT /api/v1/accounts/:id";
    api.on(route, { json: anAccount({ name: "root on web1" }) });
    await user.type(dialog.getByLabelText(/^Password/, { selector: "input" }), "set by hand");
    await user.click(dialog.getByRole("button", { name: "Store Password" }));
    expect(await screen.findByText('Password of "root on web1" stored')).toBeTruthy();
    expect(api.requestsTo(route)[0]?.body).toMatchObject({ name: "root on web1", password: "set by hand" });
  });

  test("without a connector, Rotate Password is disabled and the page explains why", async () => {
    const { user } = await openDetail({ account: { connector: null } });
    const panel = within(screen.getByRole("region", { name: "Rotation" }));
    expect(await panel.findByText(/Strongroom cannot change this password/)).toBeTruthy();
    await user.click(actions().getByRole("button", { name: "Rotate Password" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Rotate Password" }));
    expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Rotate Password" }).disabled).toBe(true);
  });

  test("marks a connector that was tested only against a fake", async () => {
    const connector = { name: "Oracle", is_proven: false, can_change: true, can_reconcile: true };
    await openDetail({ account: { connector } });
    const panel = within(screen.getByRole("region", { name: "Validation" }));
    expect(panel.getByText("Not tested against a real system")).toBeTruthy();
  });

  test("lists a candidate password among the versions, and only secret managers can copy it", async () => {
    const at = "2026-11-20T10:00:00.000Z";
    const version = { reason: "created", is_candidate: false, created_at: at, created_by: "Dana", retired_at: null };
    const versions = [
      { ...version, version: 2, reason: "rotated", is_candidate: true },
      { ...version, version: 1 },
    ] as SecretVersion[];
    const borrowed = await openDetail({ versions, account: { my_permissions: ["list", "use", "retrieve"] } });
    const [theirs] = within(await screen.findByRole("list", { name: "Versions" })).getAllByRole("listitem");
    expect(within(theirs!).queryByRole("button")).toBeNull();
    borrowed.unmount();
    await openDetail({ versions });
    const list = within(await screen.findByRole("list", { name: "Versions" }));
    const [candidate, inForce] = list.getAllByRole("listitem");
    expect(candidate?.textContent).toMatch(/^Version 2Generated by a rotation, never verified/);
    expect(within(candidate!).getByRole("button", { name: "Copy version 2" })).toBeTruthy();
    expect(inForce?.textContent).toMatch(/^Current version/);
    expect(within(inForce!).queryByRole("button")).toBeNull();
  });
});

describe("watching an account", () => {
  const ssh = { connection_method: "SSH", my_permissions: ["list", "view_audit"] } as const;

  test("the switch shows the stored state and stores a change", async () => {
    const account = anAccount({ ...ssh, my_permissions: [...ssh.my_permissions] });
    const path = `/api/v1/accounts/${account.id}/watch`;
    api.on(`GET ${path}`, { json: { is_watched: false } });
    api.on(`POST ${path}`, { json: { message: "You are notified" } });
    const { user } = await openDetail({ account });
    const toggle = await screen.findByRole("switch", { name: /^Watch this account/ });
    expect(toggle).toHaveProperty("checked", false);
    await user.click(toggle);
    expect(await screen.findByText("You are notified")).toBeTruthy();
    expect(api.requestsTo(`POST ${path}`)[0]?.body).toEqual({ is_watched: true });
    await waitFor(() => expect(toggle).toHaveProperty("checked", true));
  });

  test.each([
    ["users who may not view the audit trail", { ...ssh, my_permissions: ["list", "use"] }],
    ["accounts without sessions", { ...ssh, connection_method: "RDP" }],
  ] as const)("is not offered to %s", async (_, account) => {
    await openDetail({ account: account as unknown as Partial<Account> });
    expect(screen.queryByRole("region", { name: "Sessions" })).toBeNull();
  });
});
