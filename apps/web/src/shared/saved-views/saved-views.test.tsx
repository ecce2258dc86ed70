import type { SavedView } from "@strongroom/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { SavedViewsMenu } from "./saved-views-menu.tsx";
import { filtersIn, isShown } from "./view-filters.ts";

const LIST = "GET /api/v1/saved-views";
const aView = (given: Partial<SavedView> = {}): SavedView => ({
  id: "11111111-1111-4111-8111-111111111111" as SavedView["id"],
  list: "accounts",
  name: "Old Linux passwords",
  filters: { system: "Linux", age: "90" },
  is_shared: false,
  is_own: true,
  can_delete: true,
  created_at: "2026-11-01T08:00:00.000Z",
  ...given,
});
const shared = aView({
  id: "22222222-2222-4222-8222-222222222222" as SavedView["id"],
  name: "Rejected",
  filters: { validation: "invalid" },
  is_shared: true,
  is_own: false,
  can_delete: false,
});

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ [LIST]: { json: { views: [aView(), shared] } } });
});
afterEach(() => api.close());

const show = (at = "/accounts") => renderScreen(<SavedViewsMenu list="accounts" columns={null} />, { at });

test("choosing a view sets exactly its filters, and the button names it", async () => {
  const { user, router } = show("/accounts?search=web&tag=pci");
  await user.click(await screen.findByRole("button", { name: "Views" }));
  await user.click(await screen.findByRole("button", { name: "Old Linux passwords" }));
  expect(router.state.location.search).toBe("?system=Linux&age=90");
  expect(screen.getByRole("button", { name: "Old Linux passwords" })).toBeTruthy();
});

test("only views that the caller can delete have a delete button, which asks for confirmation", async () => {
  const { user } = show();
  api.on("DELETE /api/v1/saved-views/:id", { json: { message: 'View "Old Linux passwords" deleted' } });
  await user.click(await screen.findByRole("button", { name: "Views" }));
  const list = within(await screen.findByRole("list", { name: "Shared with You" }));
  expect(list.getByRole("button", { name: "Rejected" })).toBeTruthy();
  expect(list.queryByRole("button", { name: "Delete view Rejected" })).toBe(null);
  await user.click(screen.getByRole("button", { name: "Delete view Old Linux passwords" }));
  await user.click(within(await screen.findByRole("dialog", { name: "Delete View" })).getByText("Delete"));
  expect(await screen.findByText('View "Old Linux passwords" deleted')).toBeTruthy();
});

test("saves the filters, the order and the columns of the address under a name", async () => {
  const { user } = show("/accounts?system=Linux&sort=-name");
  api.on("POST /api/v1/saved-views", { status: 201, json: aView({ name: "Mine" }) });
  await user.click(await screen.findByRole("button", { name: "Views" }));
  await user.click(await screen.findByRole("button", { name: "Save Current View" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Save View" }));
  await user.click(dialog.getByRole("button", { name: "Save View" }));
  expect(dialog.getByText("Give the view a name")).toBeTruthy();
  await user.type(dialog.getByRole("textbox", { name: /View Name/ }), "Mine");
  await user.click(dialog.getByRole("checkbox", { name: "Share with everyone" }));
  await user.click(dialog.getByRole("button", { name: "Save View" }));
  expect(await screen.findByText('View "Mine" saved')).toBeTruthy();
  expect(api.requestsTo("POST /api/v1/saved-views")[0]?.body).toEqual({
    list: "accounts",
    name: "Mine",
    filters: { system: "Linux", sort: "-name" },
    is_shared: true,
  });
});

test("a failed load shows its reason with Retry", async () => {
  api.on(LIST, problem(500, "internal", "Something broke."));
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Views" }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy());
});

test("an address with a part that no view can keep has no filters", () => {
  expect(filtersIn(new URLSearchParams("search=a&tag="))).toEqual({ search: "a" });
  expect(filtersIn(new URLSearchParams("a-b=1"))).toBe(null);
});

test("a view is shown when the address has its filters and no others", () => {
  expect(isShown(new URLSearchParams("age=90&system=Linux"), aView().filters)).toBe(true);
  expect(isShown(new URLSearchParams("age=90&system=Linux&tag=pci"), aView().filters)).toBe(false);
  expect(isShown(new URLSearchParams("age=90"), aView().filters)).toBe(false);
});
