import { randomUUID } from "node:crypto";
import { screen, waitFor, within } from "@testing-library/react";
import type { Account, Dependent, ProposedDependent } from "@strongroom/contract";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { RotateAccountDialog } from "../actions/account-action-dialogs.tsx";
import { EMPTY_DEPENDENT, checkDependent, payloadOf } from "./dependent-form-values.ts";
import { DependentsPanel } from "./dependents-panel.tsx";
import { aPlatform, anAccount } from "../testing/an-account.ts";

const KEY = "an-example-of-a-signing-key";
let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi();
});
// Loads the form's lazy chunk before the tests.
beforeAll(() => import("./dependent-form.tsx"));
afterEach(() => api.close());

const aDependent = (given: Partial<Dependent> = {}): Dependent => ({
  id: randomUUID() as Dependent["id"],
  name: "deploy hook",
  config: { kind: "webhook", url: "https://deploy.example.com/hook" },
  state: "current",
  message: null,
  tries: 0,
  updated_at: new Date(Date.now() - 5 * 60_000).toISOString(),
  next_at: null,
  ...given,
});

async function openPanel(dependents: Dependent[], given: Partial<Account> = {}, proposed: ProposedDependent[] = []) {
  const account = anAccount(given);
  const path = `/api/v1/accounts/${account.id}/dependents`;
  api.on(`GET ${path}`, { json: { dependents } });
  api.on(`GET ${path}/proposed`, { json: { proposed } });
  const view = renderScreen(<DependentsPanel account={account} />);
  const panel = within(screen.getByRole("region", { name: "Dependents" }));
  await waitFor(() => expect(panel.queryByText("Loading...")).toBeNull());
  return { ...view, panel, path };
}

describe("the dependents panel", () => {
  test("another login with the same SSH key is added and shown with its host", async () => {
    const config = {
      kind: "authorized-key",
      host: "web2.example.com",
      port: 2222,
      username: "deploy",
      host_key: null,
    } as const;
    const added = aDependent({ name: "deploy on web2", config });
    const { panel, path, user } = await openPanel([]);
    api.on(`POST ${path}`, { status: 201, json: { ...added, signing_key: null } });
    await user.click(panel.getByRole("button", { name: "Add" }));
    const form = within(await screen.findByRole("dialog"));
    await user.type(await form.findByRole("textbox", { name: /^Name/ }), "deploy on web2");
    await user.click(form.getByRole("combobox", { name: /^Kind/ }));
    await user.click(await screen.findByRole("option", { name: "Another login with the same SSH key" }));
    await user.click(form.getByRole("button", { name: "Add" }));
    expect(await form.findByText("Host is required")).toBeTruthy();
    expect(form.queryByText("Choose an account")).toBeNull();
    await user.type(form.getByRole("textbox", { name: /^Host/ }), "web2.example.com");
    await user.clear(form.getByRole("textbox", { name: /^Port/ }));
    await user.type(form.getByRole("textbox", { name: /^Port/ }), "2222");
    await user.type(form.getByRole("textbox", { name: /^User/ }), "deploy");
    api.on(`GET ${path}`, { json: { dependents: [added] } });
    await user.click(form.getByRole("button", { name: "Add" }));
    expect(await panel.findByText(/deploy on web2\.example\.com:2222/)).toBeTruthy();
    expect(api.requestsTo(`POST ${path}`)[0]?.body).toEqual({ name: "deploy on web2", config });
  });

  test("shows each dependent with its location and update state", async () => {
    const through = anAccount({ name: "root on app1" });
    api.on(`GET /api/v1/accounts/${through.id}/details`, { json: through });
    const config = {
      kind: "ssh-file",
      via_account_id: through.id,
      path: "/etc/app.conf",
      template: "{{password}}",
      mode: "600",
      reload_unit: null,
    } as const;
    const file = aDependent({ name: "app's file", config, state: "attention", message: "The disk is full." });
    const { panel } = await openPanel([aDependent(), file]);
    const [hook, broken] = panel.getAllByRole("listitem");
    expect(within(hook!).getByText("Up to date")).toBeTruthy();
    expect(within(hook!).getByText("https://deploy.example.com/hook")).toBeTruthy();
    expect(within(broken!).getByText("Needs attention")).toBeTruthy();
    expect(within(broken!).getByText("The disk is full.")).toBeTruthy();
    expect((await within(broken!).findByRole("link", { name: "root on app1" })).getAttribute("href")).toBe(
      `/accounts/${through.id}`,
    );
  });

  test("distinguishes an empty list from a failed load, and hides buttons from users without permission", async () => {
    const none = await openPanel([], { my_permissions: ["list"] });
    expect(none.panel.getByText("No dependents")).toBeTruthy();
    expect(none.panel.queryByRole("button")).toBeNull();
    none.unmount();
    const account = anAccount();
    api.on(`GET /api/v1/accounts/${account.id}/dependents`, problem(500, "internal", "No"));
    api.on(`GET /api/v1/accounts/${account.id}/dependents/proposed`, { json: { proposed: [] } });
    renderScreen(<DependentsPanel account={account} />);
    expect(await screen.findByText("Failed to load the dependents")).toBeTruthy();
  });

  test("shows a webhook's signing key once and stores it nowhere", async () => {
    const { user, panel, path, queryClient } = await openPanel([]);
    const added = aDependent({ state: "pending" });
    api.on(`POST ${path}`, { status: 201, json: { ...added, signing_key: KEY } });
    await user.click(panel.getByRole("button", { name: "Add" }));
    const form = within(await screen.findByRole("dialog", { name: "Add Dependent" }));
    await user.type(await form.findByRole("textbox", { name: /^Name/ }), "deploy hook");
    await user.click(form.getByRole("combobox", { name: /^Kind/ }));
    await user.click(await screen.findByRole("option", { name: "A webhook" }));
    await user.type(form.getByRole("textbox", { name: /^Address/ }), "https://deploy.example.com/hook");
    api.on(`GET ${path}`, { json: { dependents: [added] } });
    await user.click(form.getByRole("button", { name: "Add" }));
    const shown = within(await screen.findByRole("dialog", { name: "Signing Key" }));
    expect(shown.getByText(KEY)).toBeTruthy();
    expect(api.requestsTo(`POST ${path}`)[0]?.body).toEqual({ name: "deploy hook", config: added.config });
    await user.click(shown.getByRole("button", { name: "I Have Stored It" }));
    await waitFor(() => expect(document.body.innerHTML).not.toContain(KEY));
    const kept = [queryClient.getQueryCache().getAll(), queryClient.getMutationCache().getAll()].flat();
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toContain(KEY);
    expect(await panel.findByText("Not updated yet")).toBeTruthy();
  });

  test("updates a dependent on request and removes it after confirmation", async () => {
    const behind = aDependent({ state: "waiting", message: "It did not answer." });
    const { user, panel, path } = await openPanel([behind]);
    api.on(`POST ${path}/${behind.id}/update`, () => {
      api.on(`GET ${path}`, { json: { dependents: [{ ...behind, state: "current" }] } });
      return { json: { ...behind, state: "pending" } };
    });
    await user.click(panel.getByRole("button", { name: "Update deploy hook now" }));
    expect(await panel.findByText("Up to date")).toBeTruthy();
    api.on(`DELETE ${path}/${behind.id}`, () => {
      api.on(`GET ${path}`, { json: { dependents: [] } });
      return { json: { message: "gone" } };
    });
    await user.click(panel.getByRole("button", { name: "Remove deploy hook" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Remove Dependent" }));
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    expect(await screen.findByText('"deploy hook" removed')).toBeTruthy();
    expect(await panel.findByText("No dependents")).toBeTruthy();
  });
});

describe("uses found by scans", () => {
  const through = anAccount({ name: "root on app1" });
  const aProposal = (given: Partial<ProposedDependent>): ProposedDependent => ({
    kind: "file",
    name: "/etc/app.conf",
    place: "app1",
    detail: "Line 2, mode 644",
    holds_password: true,
    config: null,
    obstacle: null,
    finding_id: null,
    ...given,
  });
  const file = aProposal({ config: { kind: "file-value", via_account_id: through.id, path: "/etc/app.conf" } });
  const service = aProposal({ kind: "service", name: "Backup", place: "win1", obstacle: "Add a webhook." });
  const unit = aProposal({ kind: "service", name: "app.service", holds_password: false });

  test("are listed by what they need, and a file is added as proposed", async () => {
    api.on(`GET /api/v1/accounts/${through.id}/details`, { json: through });
    const { user, panel, path } = await openPanel([], {}, [file, service, unit]);
    const rows = within(await panel.findByRole("list", { name: "Found by scans" })).getAllByRole("listitem");
    expect(rows).toHaveLength(2);
    expect(within(rows[1]!).getByText("Add a webhook.")).toBeTruthy();
    expect(within(rows[1]!).queryByRole("button")).toBeNull();
    expect(panel.getByText("Run as this account without its password: app.service on app1.")).toBeTruthy();
    await user.click(panel.getByRole("button", { name: "Add /etc/app.conf" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add Dependent" }));
    expect(await dialog.findByText("root on app1")).toBeTruthy();
    const added = aDependent({ name: "/etc/app.conf on app1", config: file.config });
    api.on(`POST ${path}`, { status: 201, json: { ...added, signing_key: null } });
    api.on(`GET ${path}`, { json: { dependents: [added] } });
    api.on(`GET ${path}/proposed`, { json: { proposed: [service] } });
    await user.click(dialog.getByRole("button", { name: "Add" }));
    expect(await screen.findByText("Dependent added")).toBeTruthy();
    expect(api.requestsTo(`POST ${path}`)[0]?.body).toEqual({ name: added.name, config: file.config });
    await waitFor(() => expect(panel.queryByRole("button", { name: "Add /etc/app.conf" })).toBeNull());
  });

  test("are hidden if there are none or the user may not retrieve the password, and a failure is shown", async () => {
    const none = await openPanel([]);
    expect(none.panel.queryByText("Found by scans")).toBeNull();
    none.unmount();
    const reader = await openPanel([], { my_permissions: ["list", "update_properties", "manage_secret"] }, [file]);
    expect(reader.panel.queryByText("Found by scans")).toBeNull();
    expect(api.requestsTo(`GET ${reader.path}/proposed`)).toHaveLength(0);
    reader.unmount();
    const account = anAccount();
    const path = `/api/v1/accounts/${account.id}/dependents`;
    api.on(`GET ${path}`, { json: { dependents: [] } });
    api.on(`GET ${path}/proposed`, problem(500, "internal", "No"));
    renderScreen(<DependentsPanel account={account} />);
    expect(await screen.findByText("Failed to load the uses that scans found")).toBeTruthy();
  });

  test("are named before a rotation, because they keep the old password", async () => {
    const account = anAccount();
    api.on(`GET /api/v1/accounts/${account.id}/dependents/proposed`, { json: { proposed: [file, service, unit] } });
    api.on("GET /api/v1/platforms/:id", { json: aPlatform() });
    renderScreen(<RotateAccountDialog account={account} opened onClose={() => {}} />);
    const dialog = within(await screen.findByRole("dialog", { name: "Rotate Password" }));
    expect(await dialog.findByText(/Scans found 2 uses of this password/)).toBeTruthy();
    expect(dialog.getByText(/\/etc\/app.conf on app1, Backup on win1/)).toBeTruthy();
  });
});

describe("the dependent form", () => {
  const account = { value: "44444444-4444-4444-8444-444444444444", label: "root on app1" };
  const named = { ...EMPTY_DEPENDENT, name: "app" };

  test.each([
    [{ ...named, account }, {}],
    [named, { account: "Choose an account" }],
    [{ ...named, kind: "ssh-file", account, path: "etc/app" }, { path: "Must be an absolute file path" }],
    [
      { ...named, kind: "ssh-file", account, path: "/etc/app", template: "x" },
      { template: "The template does not contain {{password}}" },
    ],
    [{ ...named, kind: "webhook", url: "ftp://x" }, { url: "Invalid URL" }],
    [{ ...named, kind: "webhook" }, { url: "Address is required" }],
    [{ ...named, kind: "linked-user", account, username: "app", name: "" }, { name: "Name is required" }],
  ] as const)("validates by the contract's rules (%#)", (values, expected) => {
    expect(checkDependent(values)).toEqual(expected);
  });

  test("sends only the fields of its kind", () => {
    const { config } = payloadOf({ ...named, kind: "linked-user", account, username: "app", url: "https://x.example" });
    expect(config).toEqual({ kind: "linked-user", via_account_id: account.value, username: "app" });
  });
});
