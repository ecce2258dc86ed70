import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, type TestApi } from "#app/testing/api-server.ts";
import { signInForTest } from "#app/testing/sign-in.ts";
import { TEST_SAFE, anAccount } from "../testing/an-account.ts";
import { LIST, page, show, startAccountsApi } from "../testing/open-accounts.tsx";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startAccountsApi();
});
afterEach(() => api.close());

const many = Array.from({ length: 21 }, (_, index) => anAccount({ name: `root on web${index}`, tags: ["pci"] }));

async function openTable(at = "/accounts") {
  api.on(LIST, page(many));
  const view = show(at);
  await screen.findByRole("table", { name: "Accounts" });
  return view;
}
const lastQuery = () => api.requestsTo(LIST).at(-1)?.query;

test("more than 20 accounts are a table, which the user can switch to cards", async () => {
  const { user } = await openTable();
  await user.click(screen.getByRole("button", { name: "Cards" }));
  expect(await screen.findByRole("list", { name: "Accounts" })).toBeTruthy();
});

test("a header sorts on the server", async () => {
  const { user } = await openTable();
  expect(lastQuery()?.get("sort")).toBe(null);
  await user.click(screen.getByRole("button", { name: "Hostname/IP" }));
  await waitFor(() => expect(lastQuery()?.get("sort")).toBe("hostname_ip"));
  await user.click(screen.getByRole("button", { name: "Hostname/IP" }));
  await waitFor(() => expect(lastQuery()?.get("sort")).toBe("-hostname_ip"));
});

test("filters are chips in the address, which remove them", async () => {
  const { user, router } = await openTable("/accounts?system=Linux&tag=pci&age=90");
  expect([lastQuery()?.get("system_type"), lastQuery()?.get("tag"), lastQuery()?.get("secret_age")]).toEqual([
    "Linux",
    "pci",
    "90",
  ]);
  const chips = within(screen.getByRole("list", { name: "Active filters" }));
  expect(chips.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "System: Linux",
    "Tag: pci",
    "Password: older than 90 days",
    "Clear Filters",
  ]);
  await user.click(chips.getByRole("button", { name: "Remove filter Tag: pci" }));
  await waitFor(() => expect(router.state.location.search).toBe("?system=Linux&age=90"));
  await user.click(chips.getByRole("button", { name: "Clear Filters" }));
  await waitFor(() => expect(router.state.location.search).toBe(""));
});

test("the popover of filters sets a tag that an account in view has", async () => {
  const { user, router } = await openTable();
  await user.click(screen.getByRole("button", { name: "Filters" }));
  await user.type(await screen.findByRole("combobox", { name: "Tag" }), "pci{Enter}");
  await waitFor(() => expect(router.state.location.search).toBe("?tag=pci"));
  await waitFor(() => expect(lastQuery()?.get("tag")).toBe("pci"));
});

test("the chip of a safe that the reader cannot see does not name it", async () => {
  const safe = "77777777-7777-4777-8777-777777777777";
  api.on(`GET /api/v1/safes/${safe}`, problem(404, "safe.not-found", "Safe not found"));
  await openTable(`/accounts?safe=${safe}`);
  expect(await screen.findByText("Only this safe")).toBeTruthy();
});

test("the export contains exactly what the list shows, in its order", async () => {
  api.on("GET /api/v1/accounts/export", { text: "name\r\n" });
  api.on(`GET /api/v1/safes/${TEST_SAFE}`, problem(404, "safe.not-found", "Safe not found"));
  const { user } = await openTable(`/accounts?safe=${TEST_SAFE}&search=web&sort=-name&tab=active`);
  await user.click(screen.getByRole("button", { name: "More actions" }));
  await user.click(await screen.findByRole("menuitem", { name: "Export as CSV" }));
  await waitFor(() => expect(api.requestsTo("GET /api/v1/accounts/export")).toHaveLength(1));
  const sent = Object.fromEntries(api.requestsTo("GET /api/v1/accounts/export")[0]!.query);
  expect(sent).toEqual({ safe_id: TEST_SAFE, search: "web", sort: "-name", status: "active" });
});

test("selecting rows shows the bar of bulk actions, and Done clears the selection", async () => {
  const { user } = await openTable();
  await user.click(screen.getByRole("checkbox", { name: /^Select root on web3/ }));
  const bar = within(await screen.findByRole("region", { name: "Selected accounts" }));
  expect(bar.getByText("1 account selected")).toBeTruthy();
  await user.click(bar.getByRole("button", { name: "Done" }));
  expect(screen.queryByRole("region", { name: "Selected accounts" })).toBe(null);
});

test("row actions open their dialogs, and their names include the row", async () => {
  const { user } = await openTable();
  await user.click(screen.getByRole("button", { name: /^Actions for root on web2 on web1.internal$/ }));
  const menu = within(await screen.findByRole("menu"));
  expect(menu.getAllByRole("menuitem").map(({ textContent }) => textContent)).toEqual([
    "Connect",
    "Copy Password",
    "Validation History",
    "Rotate",
    "Validate",
    "Delete",
  ]);
  await user.click(menu.getByRole("menuitem", { name: "Delete" }));
  expect(await screen.findByRole("dialog", { name: "Delete Account" })).toBeTruthy();
});
