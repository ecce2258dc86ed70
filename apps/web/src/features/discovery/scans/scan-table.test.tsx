// Tests of the orders of the Basic Scans tab: table, cards, address and calls.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { DiscoveryPage } from "../discovery-page.tsx";
import { ACCOUNTS, FIGURES, SCANS, STATISTICS, TARGETS, aScan, page } from "../testing/discovery-data.ts";

const many = Array.from({ length: 21 }, (_, place) => ({
  ...aScan,
  id: `00000000-0000-4000-8000-${String(place).padStart(12, "0")}`,
  status: place === 0 ? "running" : "completed",
  discovery_targets: { ...aScan.discovery_targets, name: `web-${place}` },
  metadata: place === 0 ? null : { ...aScan.metadata, accounts_discovered: place * 100, error_message: null },
}));

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [TARGETS]: page(),
    [SCANS]: page(...many),
    [ACCOUNTS]: page(),
    [STATISTICS]: { json: FIGURES },
  });
});
afterEach(() => api.close());

const show = (more = "") =>
  renderScreen(<DiscoveryPage Validation={() => null} />, { at: `/discovery?tab=scans${more}` });
const orders = () => api.requestsTo(SCANS).map(({ query }) => query.get("sort"));
const asked = () => orders().at(-1);

test("more than 20 scans are a table, and a click on a column sorts on the server and in the address", async () => {
  const { user, router } = show();
  const table = within(await screen.findByRole("table", { name: "Scans" }));
  const sortable = ["Target", "Status", "Started", "Duration", "Accounts"];
  expect(
    table
      .getAllByRole("columnheader")
      .filter((header) => within(header).queryByRole("button") !== null)
      .map(({ textContent }) => textContent),
  ).toEqual(sortable);
  await user.click(table.getByRole("button", { name: "Duration" }));
  await waitFor(() => expect(asked()).toBe("duration"));
  await user.click(table.getByRole("button", { name: "Duration" }));
  await waitFor(() => expect(asked()).toBe("-duration"));
  expect(router.state.location.search).toBe("?tab=scans&sort=-duration");
  expect(table.getByRole("columnheader", { name: "Duration" }).getAttribute("aria-sort")).toBe("descending");
  await user.click(table.getByRole("button", { name: "Duration" }));
  await waitFor(() => expect(router.state.location.search).toBe("?tab=scans"));
});

test("a link keeps the order, and an unknown one shows the newest first", async () => {
  const { unmount } = show("&sort=-accounts");
  await screen.findByRole("table", { name: "Scans" });
  expect(orders()).toContain("-accounts");
  expect(screen.getByRole<HTMLInputElement>("combobox", { name: "Order" }).value).toBe("Accounts, descending");
  unmount();
  show("&sort=host");
  await screen.findByRole("table", { name: "Scans" });
  expect(orders().every((sort) => sort === null || sort === "-accounts")).toBe(true);
  expect(screen.getByRole<HTMLInputElement>("combobox", { name: "Order" }).value).toBe("Newest first");
});

test("scans as rows are sorted, too", async () => {
  api.on(SCANS, page(...many.slice(0, 3)));
  const { user } = show();
  await screen.findByRole("list", { name: "Scans" });
  await user.click(screen.getByRole("combobox", { name: "Order" }));
  await user.click(await screen.findByRole("option", { name: "Target, ascending" }));
  await waitFor(() => expect(asked()).toBe("target"));
});

test("the table opens the details and offers to cancel only scans that run", async () => {
  const { user } = show();
  const table = within(await screen.findByRole("table", { name: "Scans" }));
  const menuOf = async (name: string) => {
    await user.click(table.getByRole("button", { name: `Actions for the scan of ${name}` }));
    return (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
  };
  expect(await menuOf("web-1")).toEqual(["Details"]);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  expect(await menuOf("web-0")).toEqual(["Details", "Cancel"]);
  await user.click(screen.getByRole("menuitem", { name: "Cancel" }));
  expect(await screen.findByRole("dialog", { name: "Cancel Scan" })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Keep Scanning" }));
  await user.click(table.getByRole("button", { name: "web-1" }));
  expect(await screen.findByRole("dialog", { name: "Scan Details" })).toBeTruthy();
});
