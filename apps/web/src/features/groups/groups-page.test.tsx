import { screen, waitFor, within } from "@testing-library/react";
import type { Group, GroupMember } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import GroupsPage from "./groups-page.tsx";

const AT = "2026-11-20T10:00:00.000Z";
const operators: Group = {
  id: "66666666-6666-4666-8666-666666666666" as Group["id"],
  name: "Operators",
  description: "Who keeps the servers running",
  kind: "team",
  may_break_glass: true,
  member_count: 1,
  created_at: AT,
};
const ben = {
  user_id: "77777777-7777-4777-8777-777777777777",
  name: "Ben",
  email: "ben@example.test",
  added_at: AT,
} as GroupMember;

const LIST = "GET /api/v1/groups";
const PEOPLE = "GET /api/v1/groups/:id/members";
let api: TestApi;
let groups: Group[];
let people: GroupMember[];
beforeEach(async () => {
  signInForTest({ role: "admin" });
  groups = [operators];
  people = [ben];
  api = await startApi({
    [LIST]: () => ({ json: { groups, next_cursor: null } }),
    [PEOPLE]: () => ({ json: { members: people, next_cursor: null } }),
  });
});
afterEach(() => api.close());

async function openGroups() {
  const view = renderScreen(<GroupsPage />, { at: "/admin/groups" });
  await screen.findByRole("article", { name: "Operators" });
  return view;
}
const card = () => within(screen.getByRole("article", { name: "Operators" }));
const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

describe("the groups page", () => {
  test("shows the kind, number of members and emergency access of each group", async () => {
    await openGroups();
    for (const text of ["Team", "Who keeps the servers running", "1", "Emergency access"]) {
      expect(card().getByText(text), text).toBeTruthy();
    }
  });

  test("managers see groups and members without edit buttons, and users see no groups", async () => {
    signInForTest({ role: "manager" });
    const { user, unmount } = await openGroups();
    expect(screen.queryByRole("button", { name: /Create|Edit|Delete/ })).toBeNull();
    await user.click(card().getByRole("button", { name: "People" }));
    const list = await dialog("Members of Operators");
    expect(await list.findByText("ben@example.test")).toBeTruthy();
    expect(list.queryByRole("button", { name: "Remove Ben" })).toBeNull();
    unmount();
    signInForTest({ role: "user" });
    const asked = api.requests.length;
    renderScreen(<GroupsPage />, { at: "/admin/groups" });
    expect(await screen.findByText("Only managers and administrators can see groups.")).toBeTruthy();
    expect(api.requests).toHaveLength(asked);
  });

  test("an empty list explains groups, and a failed load offers Retry", async () => {
    groups = [];
    const { unmount } = renderScreen(<GroupsPage />, { at: "/admin/groups" });
    expect(await screen.findByText("No groups found")).toBeTruthy();
    unmount();
    api.on(LIST, problem(500, "internal", "No"));
    renderScreen(<GroupsPage />, { at: "/admin/groups" });
    expect(await screen.findByText("Failed to load groups")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  test("the form of a new group explains emergency access and shows the server's refusal", async () => {
    const { user } = await openGroups();
    await user.click(screen.getByRole("button", { name: "Create Group" }));
    const form = await dialog("Create Group");
    expect(form.getByText(/by giving a reason, without waiting for approval/)).toBeTruthy();
    await user.click(form.getByRole("button", { name: "Create Group" }));
    expect(await form.findByText("Group name must be 2 to 100 characters")).toBeTruthy();
    api.on("POST /api/v1/groups", problem(409, "group.name-taken", "A group with this name already exists."));
    await user.type(form.getByLabelText(/^Name/), "Ops");
    await user.click(form.getByRole("switch", { name: /^Allow emergency access/ }));
    await user.click(form.getByRole("button", { name: "Create Group" }));
    expect(await form.findByText("A group with this name already exists.")).toBeTruthy();
    api.on("POST /api/v1/groups", { status: 201, json: operators });
    await user.click(form.getByRole("button", { name: "Create Group" }));
    expect(await screen.findByText("Group created successfully")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/groups").at(-1)?.body).toEqual({
      name: "Ops",
      description: "",
      kind: "group",
      may_break_glass: true,
    });
  });

  test("administrators find members by search, add them, and remove them after confirmation", async () => {
    people = [];
    const { user } = await openGroups();
    api.on("GET /api/v1/users", {
      json: {
        data: [
          {
            id: ben.user_id,
            name: ben.name,
            email: ben.email,
            role: "user",
            requested_role: null,
            status: "active",
            last_signed_in_at: null,
            invited_at: null,
            slowed_down_until: null,
            open_sessions: 0,
            signs_in_through: null,
            created_at: AT,
          },
        ],
        next_cursor: null,
      },
    });
    api.on(`POST /api/v1/groups/:id/members`, () => {
      people = [ben];
      return { status: 201, json: ben };
    });
    api.on(`DELETE /api/v1/groups/${operators.id}/members/${ben.user_id}`, () => {
      people = [];
      return { json: { message: "gone" } };
    });
    await user.click(card().getByRole("button", { name: "People" }));
    const list = await dialog("Members of Operators");
    expect(await list.findByText("This group is empty")).toBeTruthy();
    await user.click(list.getAllByLabelText("Add a person")[0]!);
    await user.click(await screen.findByRole("option", { name: /Ben/ }));
    await user.click(list.getByRole("button", { name: "Add" }));
    expect(await screen.findByText('Ben added to "Operators"')).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/groups/:id/members")[0]?.body).toEqual({ user_id: ben.user_id });
    await user.click(await list.findByRole("button", { name: "Remove Ben" }));
    await user.click((await dialog("Remove Person")).getByRole("button", { name: "Remove" }));
    expect(await list.findByText("This group is empty")).toBeTruthy();
  });

  test("edits a group, and deletes it after a warning about the access that will end", async () => {
    const { user } = await openGroups();
    const path = `/api/v1/groups/${operators.id}`;
    api.on(`PUT ${path}`, { json: operators });
    api.on(`DELETE ${path}`, { json: { message: "gone" } });
    await user.click(card().getByRole("button", { name: "Edit" }));
    await user.click((await dialog("Edit Group")).getByRole("button", { name: "Save Changes" }));
    expect(await screen.findByText("Group updated successfully")).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.click(card().getByRole("button", { name: "Delete" }));
    const question = await dialog("Delete Group");
    expect(question.getByText(/1 person will immediately lose the access that the group gives them/)).toBeTruthy();
    await user.click(question.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Group deleted successfully")).toBeTruthy();
  });
});
