import { act, screen, waitFor, within } from "@testing-library/react";
import type { GroupId, Safe, SafeMember, UserId } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type ApiAnswer, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import SafePage from "./safe-page.tsx";
import { aMember, aSafe, anAccess } from "../testing/a-safe.ts";

const MEMBERS = "GET /api/v1/safes/:id/members";
const ADD = "POST /api/v1/safes/:id/members";
let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ "GET /api/v1/accounts": { json: { data: [], next_cursor: null } } });
});
afterEach(() => api.close());

async function openSafe(safe: Safe, tab = "", members: SafeMember[] = []) {
  // An exact path takes precedence over patterns such as `/safes/:id`.
  api.on(`GET /api/v1/safes/${safe.id}`, { json: safe });
  api.on(MEMBERS, () => ({ json: { members, next_cursor: null } }));
  const view = renderScreen(<SafePage />, {
    at: `/safes/${safe.id}${tab === "" ? "" : `?tab=${tab}`}`,
    path: "/safes/:id",
  });
  await screen.findByRole("heading", { level: 1, name: safe.name });
  return view;
}
const row = (name: string) => within(screen.getByRole("row", { name: new RegExp(`^${name}|^Group ${name}`) }));
const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

describe("the safe page", () => {
  test("shows the description above the tabs and keeps the tab in the address", async () => {
    const { user, router } = await openSafe(aSafe({ account_count: 4, access_level: "team" }));
    expect(screen.getByText("People in the same team as the owner can also see it and request access.")).toBeTruthy();
    expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual([
      "Accounts4",
      "Members1",
      "Access",
      "Audit",
    ]);
    await user.click(screen.getByRole("tab", { name: /Members/ }));
    expect(router.state.location.search).toBe("?tab=members");
  });

  test("OPEN-19: a member with only the use permission has no Edit, Delete, Access or Audit, even if the address names the tab", async () => {
    await openSafe(aSafe({ my_permissions: ["list", "use", "retrieve"] }), "access");
    expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual(["Accounts0", "Members1"]);
    expect(screen.getByRole("tab", { name: /Accounts/ }).getAttribute("aria-selected")).toBe("true");
    expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  });

  test("an archived safe states that it grants no access", async () => {
    await openSafe(aSafe({ status: "archived" }));
    expect(screen.getByText(/This safe is archived. Its contents are kept for the record/)).toBeTruthy();
  });

  test('shows "not found" for a missing or invisible safe, and Retry for other failures', async () => {
    api.on("GET /api/v1/safes/:id", problem(404, "safe.not-found", "Safe not found"));
    const { unmount } = renderScreen(<SafePage />, { at: "/safes/x", path: "/safes/:id" });
    expect(await screen.findByRole("heading", { name: "Safe Not Found" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Back to Safes" }).getAttribute("href")).toBe("/safes");
    unmount();
    api.on("GET /api/v1/safes/:id", problem(500, "internal", "No"));
    renderScreen(<SafePage />, { at: "/safes/x", path: "/safes/:id" });
    expect(await screen.findByText("Failed to load safe")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  test("the access panel shows the source and expiry of each person's access", async () => {
    const safe = aSafe();
    api.on("GET /api/v1/safes/:id/access", { json: { access: [anAccess()], next_cursor: null } });
    await openSafe(safe, "access");
    const people = within(await screen.findByRole("list", { name: "People with access" }));
    expect(people.getByText("Ben")).toBeTruthy();
    expect(people.getByText("Operators")).toBeTruthy();
  });

  test("shows the audit history to users who may view this safe's audit", async () => {
    const safe = aSafe();
    const entry = {
      id: "55555555-5555-4555-8555-555555555555",
      action: "Safe member added",
      event: "safe.member-added",
      result: "success",
      summary: "Ben became a member",
      metadata: {},
      user: { id: null, name: "Dana Test", email: null },
      timestamp: "2026-11-20T10:00:00.000Z",
      target: null,
      leaf_index: 3,
    };
    api.on("GET /api/v1/safes/:id/history", { json: { history: [entry], next_cursor: null } });
    await openSafe(safe, "audit");
    expect(await screen.findByText("Ben became a member")).toBeTruthy();
  });
});

describe("deleting a safe", () => {
  async function beginDeletion() {
    const answer = Promise.withResolvers<ApiAnswer>();
    api.on("DELETE /api/v1/safes/:id", () => answer.promise);
    const safe = aSafe();
    const view = await openSafe(safe);
    await view.user.click(screen.getByRole("button", { name: "Delete" }));
    await view.user.click((await dialog("Delete Safe")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(api.requestsTo("DELETE /api/v1/safes/:id")).toHaveLength(1));
    const isRemembered = () =>
      view.queryClient.getQueryCache().findAll({ queryKey: ["api", "v1", "safes", safe.id] }).length > 0;
    return { ...view, isRemembered, finish: () => answer.resolve({ json: { message: "Deleted" } }) };
  }

  test("returns from the deleted safe's page to the list of safes", async () => {
    const { finish } = await beginDeletion();
    finish();
    expect((await screen.findByTestId("address")).textContent).toBe("/safes");
  });

  test("shows the toast without navigating when the user has left the page, and drops the safe from the cache", async () => {
    const { user, router, isRemembered, finish } = await beginDeletion();
    await user.keyboard("{Escape}");
    await act(() => router.navigate("/vault"));
    expect((await screen.findByTestId("address")).textContent).toBe("/vault");
    expect(isRemembered()).toBe(true);
    finish();
    expect(await screen.findByText("Safe deleted successfully")).toBeTruthy();
    await waitFor(() => expect(isRemembered()).toBe(false));
    expect(screen.getByTestId("address").textContent).toBe("/vault");
  });
});

describe("the members of a safe", () => {
  test("OPEN-93: lists people and groups with role and expiry; the owner cannot be removed", async () => {
    const safe = aSafe();
    await openSafe(safe, "members", [
      aMember({ name: "Dana Test", user_id: safe.owner_id, role: "owner" }),
      aMember({
        name: "Operators",
        user_id: null,
        group_id: "66666666-6666-4666-8666-666666666666" as GroupId,
        email: null,
        people: 3,
      }),
      aMember({ name: "Cleo", role: "custom", permissions: ["list", "add"] }),
      aMember({ name: "Old hand", expires_at: "2026-01-02T10:00:00.000Z", is_expired: true }),
    ]);
    expect(await screen.findByText("3 people")).toBeTruthy();
    expect(row("Cleo").getByText("2 permissions")).toBeTruthy();
    expect(row("Old hand").getAllByText(/^Expired /).length).toBeGreaterThan(0);
    expect(row("Dana Test").queryByRole("button")).toBeNull();
    expect(row("Operators").getByRole("button", { name: "Edit Operators" })).toBeTruthy();
  });

  test("tells non-members that only members can see the members", async () => {
    const safe = aSafe({ my_permissions: ["list"], members: [] });
    api.on(`GET /api/v1/safes/${safe.id}`, { json: safe });
    api.on(MEMBERS, problem(403, "safe.permission-missing", "Only members"));
    renderScreen(<SafePage />, { at: `/safes/${safe.id}?tab=members`, path: "/safes/:id" });
    expect(await screen.findByText("Only members can see this list")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Add Member" })).toBeNull();
  });

  const found = {
    principals: [
      {
        user_id: null,
        group_id: "66666666-6666-4666-8666-666666666666",
        name: "Operators",
        hint: null,
        is_machine: false,
      },
      {
        user_id: "77777777-7777-4777-8777-777777777777",
        group_id: null,
        name: "Ben",
        hint: "ben@example.test",
        is_machine: false,
      },
    ],
  };

  async function openAdding(safe = aSafe()) {
    api.on("GET /api/v1/safes/principals/known", { json: found });
    const view = await openSafe(safe, "members");
    await view.user.click(await screen.findByRole("button", { name: "Add Member" }));
    return { ...view, form: await dialog("Add Member") };
  }

  async function chooseOption(user: Awaited<ReturnType<typeof openAdding>>["user"], box: HTMLElement, option: RegExp) {
    await user.type(box, option.source.slice(0, 3));
    await user.click(await screen.findByRole("option", { name: option }));
  }
  const first = (elements: HTMLElement[]): HTMLElement => elements[0]!;

  test("adds a group found by search with a preset role and an expiry", async () => {
    const { user, form } = await openAdding();
    api.on(ADD, { status: 201, json: aMember({ name: "Operators" }) });
    await chooseOption(user, first(form.getAllByLabelText(/^User or group/)), /Operators/);
    await user.click(form.getByRole("button", { name: "Expires in 30 days" }));
    await user.click(form.getByRole("button", { name: "Add Member" }));
    expect(await screen.findByText("Operators is now a member")).toBeTruthy();
    const body = api.requestsTo(ADD)[0]?.body as { group_id: string; role: string; expires_at: string };
    expect(body).toMatchObject({ group_id: found.principals[0]!.group_id, role: "user" });
    const days = (new Date(body.expires_at).getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  });

  test("changing single permissions makes the role custom", async () => {
    const { user, form } = await openAdding();
    api.on(ADD, { status: 201, json: aMember() });
    await chooseOption(user, first(form.getAllByLabelText(/^User or group/)), /Ben/);
    await user.click(form.getByRole("checkbox", { name: "Retrieve secrets" }));
    await user.click(form.getByRole("checkbox", { name: "Add accounts" }));
    await user.click(form.getByRole("button", { name: "Add Member" }));
    await waitFor(() => expect(api.requestsTo(ADD)).toHaveLength(1));
    expect(api.requestsTo(ADD)[0]?.body).toEqual({
      user_id: found.principals[1]!.user_id,
      role: "custom",
      permissions: ["list", "use", "add"],
      expires_at: null,
    });
  });

  test("disables the permissions and roles that the caller may not grant", async () => {
    const { form } = await openAdding(aSafe({ my_permissions: ["list", "use", "manage_members"] }));
    expect(form.getByRole<HTMLInputElement>("checkbox", { name: "Retrieve secrets" }).disabled).toBe(true);
    expect(form.getByRole<HTMLInputElement>("checkbox", { name: "Use accounts" }).disabled).toBe(false);
    expect(form.getByText("You can give only permissions that you have in this safe.")).toBeTruthy();
  });

  test("requires a chosen user or group, and shows the server's refusal in the form", async () => {
    const { user, form } = await openAdding();
    await user.click(form.getByRole("button", { name: "Add Member" }));
    expect(await form.findByText("Choose a user or a group")).toBeTruthy();
    expect(api.requestsTo(ADD)).toHaveLength(0);
    api.on(ADD, problem(409, "safe.already-member", "Ben is a member already."));
    await chooseOption(user, first(form.getAllByLabelText(/^User or group/)), /Ben/);
    await user.click(form.getByRole("button", { name: "Add Member" }));
    expect(await form.findByText("Failed to add member")).toBeTruthy();
    expect(form.getByText("Ben is a member already.")).toBeTruthy();
  });

  test("edits a membership, and removes it after confirmation", async () => {
    const member = aMember({ user_id: "77777777-7777-4777-8777-777777777777" as UserId });
    const safe = aSafe();
    const { user } = await openSafe(safe, "members", [member]);
    const path = `/api/v1/safes/${safe.id}/members/${member.id}`;
    api.on(`PUT ${path}`, { json: member });
    api.on(`DELETE ${path}`, { json: { message: "gone" } });
    await user.click(await screen.findByRole("button", { name: "Edit Ben" }));
    const form = await dialog("Edit Ben");
    await user.click(form.getByRole("button", { name: "Expires in 1 day" }));
    await user.click(form.getByRole("button", { name: "Never" }));
    await user.click(form.getByRole("button", { name: "Save Changes" }));
    expect(await screen.findByText("Ben updated successfully")).toBeTruthy();
    expect(api.requestsTo(`PUT ${path}`)[0]?.body).toEqual({ role: "user", expires_at: null });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.click(screen.getByRole("button", { name: "Remove Ben" }));
    const question = await dialog("Remove Member");
    expect(api.requestsTo(`DELETE ${path}`)).toHaveLength(0);
    await user.click(question.getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("Ben is no longer a member")).toBeTruthy();
  });
});
