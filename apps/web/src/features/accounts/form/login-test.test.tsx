import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { problem, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { anAccount } from "../testing/an-account.ts";
import { startAccountsApi } from "../testing/open-accounts.tsx";
import { CreateAccountDialog } from "./account-form-dialogs.tsx";

const TEST = "POST /api/v1/accounts/test-login";
let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startAccountsApi();
  api.on("GET /api/v1/connectors", { json: { connectors: [] } });
});
beforeAll(() => import("./account-form.tsx"));
afterEach(() => api.close());

async function openForm() {
  const { user } = renderScreen(<CreateAccountDialog opened onClose={() => undefined} />);
  const dialog = within(await screen.findByRole("dialog", { name: "Create New Account" }));
  await dialog.findByRole("textbox", { name: /Account Name/ });
  // The platforms have loaded when the field offers them.
  await user.click(dialog.getByRole("combobox", { name: /Platform ID/ }));
  await screen.findByRole("option", { name: "Linux servers" });
  await user.keyboard("{Escape}");
  const type = (label: RegExp, text: string) => user.type(dialog.getByLabelText(label), text);
  const choose = async (label: RegExp, option: string) => {
    await user.click(dialog.getByRole("combobox", { name: label }));
    await user.click(await screen.findByRole("option", { name: option }));
  };
  return { user, dialog, type, choose };
}

async function fill() {
  const form = await openForm();
  const { type, choose } = form;
  await choose(/System Type/, "Linux");
  await type(/Account Name/, "root on web1");
  await type(/Hostname/, "web1");
  await type(/Username/, "root");
  await type(/^Password/, "a known secret");
  await choose(/^Safe/, "Web servers");
  return form;
}

test("choosing a system sets its only platform, port and method", async () => {
  const { dialog, choose } = await openForm();
  await choose(/System Type/, "Linux");
  await waitFor(() =>
    expect(dialog.getByRole<HTMLInputElement>("combobox", { name: /Platform ID/ }).value).toBe("Linux servers"),
  );
  expect(dialog.getByRole<HTMLInputElement>("textbox", { name: /Port/ }).value).toBe("22");
});

test("a test sends the values of the form and shows the result until the login is edited", async () => {
  const { user, dialog, type } = await fill();
  const result = { outcome: "rejected", message: "web1 did not accept the password for root.", duration_ms: 40 };
  api.on(TEST, { json: { ...result, host_key: "ssh-ed25519 SHA256:abc" } });
  await user.click(dialog.getByRole("button", { name: "Test Login" }));
  expect(await dialog.findByText(result.message)).toBeTruthy();
  expect(dialog.getByText("Rejected")).toBeTruthy();
  expect(dialog.getByText("Host key ssh-ed25519 SHA256:abc")).toBeTruthy();
  expect(api.requestsTo(TEST)[0]?.body).toMatchObject({ hostname: "web1", password: "a known secret" });
  await type(/Account Name/, ", new");
  expect(dialog.getByText(result.message)).toBeTruthy();
  await type(/Username/, "2");
  expect(dialog.queryByText(result.message)).toBe(null);
});

test("an incomplete form shows its first error instead of a test", async () => {
  const { user, dialog } = await openForm();
  await user.click(dialog.getByRole("button", { name: "Test Login" }));
  expect(await dialog.findByText("Account name is required")).toBeTruthy();
  expect(api.requestsTo(TEST)).toHaveLength(0);
});

test("a refused test shows the reason", async () => {
  const { user, dialog } = await fill();
  api.on(TEST, problem(409, "account.tested-too-often", "Wait 10 minutes."));
  await user.click(dialog.getByRole("button", { name: "Test Login" }));
  expect(await dialog.findByText("Wait 10 minutes.")).toBeTruthy();
});

test("Rotate the password now starts a rotation after the account is stored", async () => {
  const { user, dialog } = await fill();
  const account = anAccount();
  api.on("POST /api/v1/accounts", { status: 201, json: account });
  api.on(`POST /api/v1/accounts/${account.id}/rotate`, problem(409, "rotation.not-possible", "No connector."));
  await user.click(dialog.getByRole("checkbox", { name: "Rotate the password now" }));
  await user.click(dialog.getByRole("button", { name: "Create Account" }));
  expect(await screen.findByText("No connector.")).toBeTruthy();
  expect(api.requestsTo("POST /api/v1/accounts")).toHaveLength(1);
});
