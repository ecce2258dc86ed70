import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { CONNECTORS } from "#shared/connectors/testing/descriptions.ts";
import CredentialListPage from "./credential-list-page.tsx";
import { aCredential, aVerifyReply } from "../testing/a-credential.ts";

const LIST = "GET /api/v1/credentials";
let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ "GET /api/v1/connectors": { json: { connectors: CONNECTORS } } });
});
afterEach(() => api.close());

const many = Array.from({ length: 21 }, (_, index) => aCredential({ name: `Database ${index}` }));

async function openTable(at = "/vault") {
  api.on(LIST, ({ query }) => ({
    json: { data: query.get("type") === "ssh" ? many.slice(0, 1) : many, next_cursor: null },
  }));
  const view = renderScreen(<CredentialListPage />, { at });
  await screen.findByRole("table", { name: "Credentials" });
  return view;
}
const lastQuery = () => api.requestsTo(LIST).at(-1)?.query;

test("more than 20 credentials are a table, which a filter keeps and the user can switch to cards", async () => {
  const { user } = await openTable();
  await user.selectOptions(screen.getByRole("combobox", { name: "Type" }), "SSH Key");
  await waitFor(() => expect(lastQuery()?.get("type")).toBe("ssh"));
  expect(await screen.findByText("1 credential")).toBeTruthy();
  expect(screen.getByRole("table", { name: "Credentials" })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Cards" }));
  expect(await screen.findByRole("article", { name: "Database 0" })).toBeTruthy();
});

test("a header sorts on the server, and the address keeps the order", async () => {
  const { user, router } = await openTable("/vault?sort=-verified_at");
  expect(lastQuery()?.get("sort")).toBe("-verified_at");
  await user.click(screen.getByRole("button", { name: "Host" }));
  await waitFor(() => expect(lastQuery()?.get("sort")).toBe("host"));
  expect(router.state.location.search).toBe("?sort=host");
  expect(screen.queryByRole("button", { name: "Verification" })).toBeNull();
});

test("a row's menu verifies, copies and opens the dialogs of its credential", async () => {
  const { user } = await openTable();
  const [first] = many;
  const act = async (label: string) => {
    await user.click(screen.getByRole("button", { name: `Actions for ${first!.name}` }));
    await user.click(await screen.findByRole("menuitem", { name: label }));
  };
  api.on(`GET /api/v1/credentials/${first!.id}`, { json: first });
  api.on("POST /api/v1/credentials/:id/verify", { json: aVerifyReply({ outcome: "verified" }) });
  await act("Verify Now");
  expect(await screen.findByText(`Verification successful for "${first!.name}"`)).toBeTruthy();
  api.on("POST /api/v1/credentials/:id/reveal", { json: { value: "tr0ub4dor&3" } });
  await act("Copy");
  expect(await screen.findByText("Password copied to clipboard!")).toBeTruthy();
  expect(await navigator.clipboard.readText()).toBe("tr0ub4dor&3");
  await act("Delete");
  expect(within(await screen.findByRole("dialog")).getByText(first!.name)).toBeTruthy();
});

test("the columns are chosen from a list", async () => {
  const { user } = await openTable();
  expect(screen.queryByRole("columnheader", { name: "Created" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("checkbox", { name: "Created" }));
  expect(await screen.findByRole("columnheader", { name: "Created" })).toBeTruthy();
});
