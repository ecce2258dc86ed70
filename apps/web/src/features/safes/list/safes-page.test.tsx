import { screen, waitFor, within } from "@testing-library/react";
import type { Safe } from "@strongroom/contract";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import SafesPage from "./safes-page.tsx";
import { aSafe } from "../testing/a-safe.ts";

const LIST = "GET /api/v1/safes";
const CREATE = "POST /api/v1/safes";
let api: TestApi;
let safes: Safe[];

beforeEach(async () => {
  signInForTest();
  safes = [];
  api = await startApi({
    [LIST]: () => ({ json: { safes, next_cursor: null } }),
    "GET /api/v1/saved-views": { json: { views: [] } },
    "GET /api/v1/safes/statistics": { json: { total: 3, active: 2, shared: 1 } },
  });
});
// Loads the form's lazy chunk before the tests.
beforeAll(() => import("../form/safe-form.tsx"));
afterEach(() => api.close());

async function openSafes(...given: Safe[]) {
  safes = given;
  const view = renderScreen(<SafesPage />, { at: "/safes" });
  await screen.findAllByRole("article", { name: given[0]?.name });
  return view;
}
const card = (name = "Production servers") => within(screen.getByRole("article", { name }));
async function askToDelete(user: ReturnType<typeof renderScreen>["user"], name = "Production servers") {
  await user.click(card(name).getByRole("button", { name: `Actions for ${name}` }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
}
const dialog = (name: string) => screen.findByRole("dialog", { name });

describe("more than 20 safes", () => {
  test("are a table with links, and their menus offer what the caller may do", async () => {
    safes = Array.from({ length: 21 }, (_, index) =>
      aSafe({
        id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}` as Safe["id"],
        name: `Safe ${index}`,
        tags: ["plant 2"],
        my_permissions: index === 1 ? ["list"] : aSafe().my_permissions,
      }),
    );
    const { user, router } = renderScreen(<SafesPage />, { at: "/safes?tag=plant 2" });
    const table = within(await screen.findByRole("table", { name: "Safes" }));
    expect(table.getByRole("link", { name: "Safe 0" }).getAttribute("href")).toBe(`/safes/${safes[0]!.id}`);
    expect(api.requestsTo(LIST).at(-1)?.query.get("tag")).toBe("plant 2");
    const entries = async (name: string) => {
      await user.click(table.getByRole("button", { name: `Actions for ${name}` }));
      const texts = (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
      await user.keyboard("{Escape}");
      await waitFor(() => expect(screen.queryByRole("menu")).toBe(null));
      return texts;
    };
    expect(await entries("Safe 0")).toEqual(["Accounts", "Members", "Edit", "Delete"]);
    expect(await entries("Safe 1")).toEqual(["Accounts", "Members"]);
    await user.click(screen.getByRole("button", { name: "Remove filter Tag: plant 2" }));
    await waitFor(() => expect(router.state.location.search).toBe(""));
  });
});

describe("the list of safes", () => {
  test("SAFE-01 to SAFE-04, SAFE-11: shows heading, figures, search box and buttons", async () => {
    await openSafes(aSafe());
    expect(screen.getByRole("heading", { level: 1, name: "Safes Management" })).toBeTruthy();
    await waitFor(() => expect(screen.getByRole("article", { name: "Total Safes" }).textContent).toContain("3"));
    expect(screen.getByRole("article", { name: "Active Safes" }).textContent).toContain("2");
    expect(screen.getByRole("article", { name: "Shared Safes" }).textContent).toContain("1");
    expect(screen.getByPlaceholderText("Search safes by name, description, or owner...")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Refresh" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Create Safe" })).toBeTruthy();
  });

  test("SAFE-05, SAFE-14, SAFE-15, SAFE-16: a card shows type, status, description, access level, counts and owner", async () => {
    await openSafes(
      aSafe({
        safe_type: "department",
        access_level: "team",
        status: "inactive",
        account_count: 12,
        permission_count: 7,
      }),
    );
    for (const text of ["Department", "Inactive", "Root accounts of the shop", "Access Level", "Team", "Dana Test"]) {
      expect(card().getByText(text), text).toBeTruthy();
    }
    const facts = card()
      .getAllByRole("term")
      .map((term) => `${term.textContent}: ${term.nextElementSibling?.textContent}`);
    expect(facts).toEqual(["Owner: Dana Test", "Access Level: Team", "Accounts: 12", "Users: 7"]);
  });

  test("SAFE-06, OPEN-92: a card has Edit, links to members and accounts, and a menu with Delete", async () => {
    const safe = aSafe();
    const { user } = await openSafes(safe);
    expect(card().getByRole("button", { name: "Edit" })).toBeTruthy();
    expect(card().queryByRole("button", { name: "Delete" })).toBe(null);
    await user.click(card().getByRole("button", { name: "Actions for Production servers" }));
    const entries = await screen.findAllByRole("menuitem");
    expect(entries.map(({ textContent }) => textContent)).toEqual(["Accounts", "Members", "Edit", "Delete"]);
    expect(card().getByRole("link", { name: "Members" }).getAttribute("href")).toBe(`/safes/${safe.id}?tab=members`);
    expect(card().getByRole("link", { name: "Accounts" }).getAttribute("href")).toBe(`/safes/${safe.id}`);
  });

  test("OPEN-19: hides actions on a safe from users who may not manage it", async () => {
    await openSafes(aSafe({ my_permissions: ["list", "use"] }));
    expect(card().queryByRole("button")).toBeNull();
    expect(card().getByRole("link", { name: "Members" })).toBeTruthy();
  });

  test("SAFE-08: an empty list explains how to begin, and a search without results can be cleared", async () => {
    const { unmount } = renderScreen(<SafesPage />, { at: "/safes" });
    expect(await screen.findByText("No safes found")).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "Create Safe" })).toHaveLength(2);
    unmount();
    api.on(LIST, ({ query }) => ({ json: { safes: query.has("search") ? [] : [aSafe()], next_cursor: null } }));
    const { user } = renderScreen(<SafesPage />, { at: "/safes?search=none" });
    expect(await screen.findByText("No safes match your search.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Clear Search and Filter" }));
    expect(await screen.findByRole("article", { name: "Production servers" })).toBeTruthy();
  });

  test("SAFE-10: accepts a reply that is a bare array", async () => {
    api.on(LIST, { json: [aSafe({ name: "From an array" })] });
    renderScreen(<SafesPage />, { at: "/safes" });
    expect(await screen.findByRole("article", { name: "From an array" })).toBeTruthy();
  });

  test("SAFE-21: shows a failed load with Retry", async () => {
    api.on(LIST, problem(500, "internal", "Something went wrong on our side."));
    const { user } = renderScreen(<SafesPage />, { at: "/safes" });
    expect(await screen.findByText("Failed to load safes")).toBeTruthy();
    api.on(LIST, { json: { safes: [aSafe()], next_cursor: null } });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByRole("article", { name: "Production servers" })).toBeTruthy();
  });

  test("shows a loading state", async () => {
    let release = () => {};
    api.on(LIST, () => new Promise((resolve) => (release = () => resolve({ json: { safes: [], next_cursor: null } }))));
    renderScreen(<SafesPage />, { at: "/safes" });
    expect(await screen.findByText("Loading safes...")).toBeTruthy();
    await waitFor(() => expect(api.requestsTo(LIST)).toHaveLength(1));
    release();
    expect(await screen.findByText("No safes found")).toBeTruthy();
  });

  test("SAFE-03: search and status are kept in the address and sent to the server", async () => {
    const { user, router } = await openSafes(aSafe());
    await user.type(screen.getByRole("searchbox"), "shop");
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("search")).toBe("shop"));
    await user.selectOptions(screen.getByRole("combobox", { name: "Status" }), "archived");
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("status")).toBe("archived"));
    expect(router.state.location.search).toBe("?search=shop&status=archived");
  });
});

describe("creating a safe", () => {
  async function openForm() {
    const view = await openSafes(aSafe());
    await view.user.click(screen.getByRole("button", { name: "Create Safe" }));
    const form = within(await dialog("Create New Safe"));
    await form.findByLabelText(/^Name/);
    return { ...view, form };
  }

  test("SAFE-07, SAFE-12, SAFE-18, SAFE-19, SAFE-22, OPEN-91, OPEN-150: sends the entered values within the limits", async () => {
    const { user, form } = await openForm();
    const name = form.getByLabelText(/^Name/) as HTMLInputElement;
    expect(form.getByText("3-100 characters")).toBeTruthy();
    expect(name.maxLength).toBe(100);
    expect(form.getByLabelText<HTMLTextAreaElement>("Description").maxLength).toBe(500);
    api.on(CREATE, ({ body }) => {
      const created = aSafe(body as Partial<Safe>);
      safes = [...safes, created];
      return { status: 201, json: created };
    });
    await user.type(name, "Databases");
    await user.click(form.getByRole("button", { name: "Create Safe" }));
    expect(await screen.findByText("Safe created successfully")).toBeTruthy();
    expect(api.requestsTo(CREATE)[0]?.body).toEqual({
      name: "Databases",
      description: "",
      safe_type: "standard",
      access_level: "private",
    });
    expect(await screen.findByRole("article", { name: "Databases" })).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("SAFE-17: requires a name before sending", async () => {
    const { user, form } = await openForm();
    await user.click(form.getByRole("button", { name: "Create Safe" }));
    expect(await form.findByText("Safe name is required")).toBeTruthy();
    await user.type(form.getByLabelText(/^Name/), "ab");
    await user.click(form.getByRole("button", { name: "Create Safe" }));
    expect(await form.findByText("Safe name must be 3 to 100 characters")).toBeTruthy();
    expect(api.requestsTo(CREATE)).toHaveLength(0);
  });

  test("SAFE-23: shows a failure with its reason in the form until the user edits it", async () => {
    const { user, form } = await openForm();
    api.on(CREATE, problem(409, "safe.name-taken", "There is one of that name."));
    await user.type(form.getByLabelText(/^Name/), "Databases");
    await user.click(form.getByRole("button", { name: "Create Safe" }));
    expect(await form.findByText("Failed to create safe")).toBeTruthy();
    expect(form.getByText("There is one of that name.")).toBeTruthy();
    await user.type(form.getByLabelText(/^Name/), "2");
    expect(form.queryByText("Failed to create safe")).toBeNull();
  });
});

describe("editing and deleting a safe", () => {
  test("SAFE-13, SAFE-26: sends name and description, and other fields only when changed", async () => {
    const safe = aSafe();
    const { user } = await openSafes(safe);
    api.on(`PUT /api/v1/safes/${safe.id}`, ({ body }) => {
      safes = [{ ...safe, ...(body as Partial<Safe>) }];
      return { json: safes[0] };
    });
    await user.click(card().getByRole("button", { name: "Edit" }));
    const form = within(await dialog("Edit Safe"));
    const name = await form.findByLabelText(/^Name/);
    await user.clear(name);
    await user.type(name, "Shop servers");
    await user.click(form.getByRole("button", { name: "Save Changes" }));
    expect(await screen.findByText("Safe updated successfully")).toBeTruthy();
    expect(api.requestsTo("PUT /api/v1/safes/:id")[0]?.body).toEqual({
      name: "Shop servers",
      description: "Root accounts of the shop",
    });
    expect(await screen.findByRole("article", { name: "Shop servers" })).toBeTruthy();
  });

  test("the gateway zone is sent when it changed, and null when it was emptied", async () => {
    const safe = aSafe({ session_zone: "plant-2" });
    const { user } = await openSafes(safe);
    api.on(`PUT /api/v1/safes/${safe.id}`, { json: { ...safe, session_zone: null } });
    await user.click(card().getByRole("button", { name: "Edit" }));
    const form = within(await dialog("Edit Safe"));
    await user.clear(await form.findByLabelText("Gateway zone"));
    await user.click(form.getByRole("button", { name: "Save Changes" }));
    expect(await screen.findByText("Safe updated successfully")).toBeTruthy();
    expect(api.requestsTo("PUT /api/v1/safes/:id")[0]?.body).toMatchObject({ session_zone: null });
  });

  test("SAFE-27: shows a failed update", async () => {
    const safe = aSafe();
    const { user } = await openSafes(safe);
    api.on(`PUT /api/v1/safes/${safe.id}`, problem(403, "safe.permission-missing", "You may not manage this safe."));
    await user.click(card().getByRole("button", { name: "Edit" }));
    const form = within(await dialog("Edit Safe"));
    await form.findByLabelText(/^Name/);
    await user.click(form.getByRole("button", { name: "Save Changes" }));
    expect(await form.findByText("Failed to update safe")).toBeTruthy();
    expect(form.getByText("You may not manage this safe.")).toBeTruthy();
  });

  test("SAFE-20, SAFE-24: deletes an empty safe after one confirmation", async () => {
    const safe = aSafe();
    const { user } = await openSafes(safe, aSafe({ name: "Other" }));
    api.on(`DELETE /api/v1/safes/${safe.id}`, () => {
      safes = safes.filter(({ id }) => id !== safe.id);
      return { json: { message: "gone" } };
    });
    await askToDelete(user);
    const question = within(await dialog("Delete Safe"));
    expect(api.requestsTo("DELETE /api/v1/safes/:id")).toHaveLength(0);
    await user.click(question.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Safe deleted successfully")).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("article", { name: "Production servers" })).toBeNull());
  });

  test("SAFE-25: shows a failed deletion with its reason", async () => {
    const safe = aSafe();
    const { user } = await openSafes(safe);
    api.on(`DELETE /api/v1/safes/${safe.id}`, problem(409, "safe.not-empty", "It still holds an account."));
    await askToDelete(user);
    await user.click(within(await dialog("Delete Safe")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Failed to delete safe")).toBeTruthy();
    expect(screen.getByText("It still holds an account.")).toBeTruthy();
  });

  test("offers safes with the add permission as destinations for the accounts of a deleted safe", async () => {
    const safe = aSafe({ account_count: 2 });
    const other = aSafe({ name: "Archive" });
    const { user } = await openSafes(safe, other);
    api.on(`DELETE /api/v1/safes/${safe.id}`, { json: { message: "gone" } });
    await askToDelete(user);
    const question = within(await dialog("Delete Safe"));
    const confirm = question.getByRole("button", { name: "Delete" }) as HTMLButtonElement;
    expect(confirm.disabled).toBe(true);
    const [choice] = await question.findAllByLabelText(/^Move its 2 accounts to/);
    await user.click(choice!);
    const choices = within(await screen.findByRole("listbox")).getAllByRole("option");
    expect(choices.map((option) => option.textContent)).toEqual(["Archive"]);
    await user.click(screen.getByRole("option", { name: "Archive" }));
    await user.click(confirm);
    await waitFor(() => expect(api.requestsTo("DELETE /api/v1/safes/:id")).toHaveLength(1));
    expect(api.requestsTo("DELETE /api/v1/safes/:id")[0]?.query.get("move_accounts_to")).toBe(other.id);
    expect(api.requestsTo(LIST).some(({ query }) => query.get("permission") === "add")).toBe(true);
  });

  test("explains missing permissions to move the accounts and disables Delete", async () => {
    const { user } = await openSafes(aSafe({ account_count: 2, my_permissions: ["list", "manage_safe", "delete"] }));
    await askToDelete(user);
    const question = within(await dialog("Delete Safe"));
    expect(question.getByText(/Moving them requires permission to delete accounts/)).toBeTruthy();
    expect(question.getByRole<HTMLButtonElement>("button", { name: "Delete" }).disabled).toBe(true);
  });
});
