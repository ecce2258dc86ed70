import { screen, waitFor, within } from "@testing-library/react";
import type {
  AccessPerson,
  AccessPreview,
  AccessReview,
  AccessSafe,
  PersonSafe,
  ReviewItem,
} from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import AccessControlPage from "#app/pages/access-control-page.tsx";
import { ReviewBulkBar } from "./reviews/review-bulk-bar.tsx";
import { aReview, anItem } from "./testing/a-review.ts";

const ben: AccessPerson = {
  user_id: "77777777-7777-4777-8777-777777777777" as AccessPerson["user_id"],
  name: "Ben",
  email: "ben@example.test",
  role: "user",
  kind: "person",
  status: "active",
  safes: 2,
  accounts_usable: 31,
  accounts_retrievable: 12,
  grants: 1,
  groups: 1,
  may_break_glass: true,
};
const safe: PersonSafe = {
  safe_id: "33333333-3333-4333-8333-333333333333" as PersonSafe["safe_id"],
  name: "Production servers",
  status: "active",
  access_level: "private",
  permissions: ["list", "use", "retrieve"],
  paths: [{ kind: "group", through: "Operators", permissions: ["list", "use", "retrieve"], expires_at: null }],
  accounts: 3,
  accounts_usable: 3,
  accounts_retrievable: 0,
  grants: 1,
};
const shownSafe: AccessSafe = {
  safe_id: safe.safe_id,
  name: safe.name,
  status: "active",
  access_level: "private",
  owner_name: "Ada",
  people: 4,
  accounts: 3,
  grants: 1,
  reviewed_at: null,
};

const AT = "/api/v1/access-control";
const PAGE = { next_cursor: null };
let api: TestApi;
let review: AccessReview;
let items: ReviewItem[];
beforeEach(async () => {
  signInForTest({ role: "admin" });
  review = aReview();
  items = [anItem()];
  api = await startApi({
    [`GET ${AT}/people`]: { json: { people: [ben], ...PAGE } },
    [`GET ${AT}/people/:id`]: { json: { ...ben, in_groups: [] } },
    [`GET ${AT}/people/:id/safes`]: { json: { safes: [safe], ...PAGE } },
    [`GET ${AT}/safes`]: { json: { safes: [shownSafe], ...PAGE } },
    [`GET ${AT}/reviews`]: () => ({ json: { reviews: [review], ...PAGE } }),
    [`GET ${AT}/reviews/:id`]: () => ({ json: review }),
    [`GET ${AT}/reviews/:id/items`]: () => ({ json: { items, ...PAGE } }),
  });
});
afterEach(() => api.close());

const show = (address = "") => renderScreen(<AccessControlPage />, { at: `/access-control${address}` });
const dialog = async (name: string | RegExp) => within(await screen.findByRole("dialog", { name }));

describe("PLACE-02: Access Control", () => {
  test("shows its heading and subtitle and lists people; a name opens that person's access", async () => {
    const { user } = show();
    expect(screen.getByRole("heading", { name: "Access Control" })).toBeTruthy();
    expect(screen.getByText("Configure role-based access policies")).toBeTruthy();
    const row = within(await screen.findByRole("row", { name: /Ben/ }));
    for (const text of ["User", "31", "12", "Emergency access"])
      expect(row.getAllByText(text).length).toBeGreaterThan(0);
    await user.click(row.getByRole("link", { name: "Ben" }));
    expect(await screen.findByText("Through the group Operators")).toBeTruthy();
    expect(screen.getByText("3 accounts: 3 to use, 0 to retrieve now")).toBeTruthy();
    api.on(`GET ${AT}/people/:id/accounts`, problem(500, "internal", "It broke"));
    await user.click(screen.getByRole("button", { name: "Accounts in Production servers" }));
    expect(await screen.findByRole("button", { name: "Retry" })).toBeTruthy();
  });

  test("shows empty and error states; users without the manager role see only Reviews", async () => {
    api.on(`GET ${AT}/people`, { json: { people: [], ...PAGE } });
    const { unmount } = show("?search=zoe");
    expect(await screen.findByText("No people found")).toBeTruthy();
    unmount();
    api.on(`GET ${AT}/people`, problem(500, "internal", "No"));
    const failed = show();
    expect(await screen.findByText("Failed to load people")).toBeTruthy();
    failed.unmount();
    signInForTest({ role: "user" });
    api.on(`GET ${AT}/reviews`, { json: { reviews: [], ...PAGE } });
    show();
    expect(await screen.findByText("You have no access reviews.")).toBeTruthy();
    expect(screen.getAllByRole("tab").map(({ textContent }) => textContent)).toEqual(["Reviews"]);
  });

  test("shows who can access a safe", async () => {
    api.on("GET /api/v1/safes/:id/access", { json: { access: [], ...PAGE } });
    const { user } = show("?tab=things");
    await user.click(await screen.findByRole("button", { name: "View access to Production servers" }));
    expect(await (await dialog("Access to Production servers")).findByText("No access")).toBeTruthy();
  });
});

test("previewing a change names the people affected; describing another change clears the result", async () => {
  const preview: AccessPreview = {
    people_gaining: 0,
    people_losing: 1,
    accounts: 3,
    people: [
      {
        user_id: ben.user_id,
        name: "Ben",
        email: ben.email,
        changes: [
          {
            permission: "use",
            accounts_gained: 0,
            accounts_lost: 3,
            accounts_askable: 3,
            safes_gained: 0,
            safes_lost: 0,
          },
        ],
        grants_lost: 0,
      },
    ],
  };
  api.on("GET /api/v1/safes/principals", {
    json: { principals: [{ user_id: ben.user_id, group_id: null, name: "Ben", hint: ben.email, is_machine: false }] },
  });
  api.on(`POST ${AT}/preview`, { json: preview });
  const { user } = show("?tab=change");
  await user.click(screen.getByLabelText("Change", { selector: "input" }));
  await user.click(await screen.findByRole("option", { name: "Change a person's role" }));
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "What would change?" }).disabled).toBe(true);
  await user.type(screen.getByLabelText("Person", { selector: "input" }), "Be");
  await user.click(await screen.findByRole("option", { name: /Ben/ }));
  await user.click(screen.getByRole("button", { name: "What would change?" }));
  expect(await screen.findByText("1 person would lose access, on 3 accounts.")).toBeTruthy();
  expect(screen.getByText("(3 still available with approval)", { exact: false })).toBeTruthy();
  expect(api.requestsTo(`POST ${AT}/preview`)[0]?.body).toEqual({
    change: { kind: "role-changed", user_id: ben.user_id, role: "manager" },
  });
  await user.click(screen.getByLabelText("New role", { selector: "input" }));
  await user.click(await screen.findByRole("option", { name: "Admin" }));
  await waitFor(() => expect(screen.queryByText(/would lose access/)).toBeNull());
});

describe("access reviews", () => {
  const DECISION = `POST ${AT}/reviews/:id/items/:item_id/decision`;

  test("confirms a membership in one click and asks for a reason before removing one", async () => {
    api.on(DECISION, ({ body }) => ({ json: anItem({ decision: (body as { decision: "confirmed" }).decision }) }));
    const { user } = show("?tab=reviews");
    expect(await screen.findByText("1 decision for you")).toBeTruthy();
    await user.click(screen.getByRole("link", { name: "Autumn review" }));
    await user.click(await screen.findByRole("button", { name: "Confirm Ben in Production servers" }));
    await waitFor(() => expect(api.requestsTo(DECISION)).toHaveLength(1));
    const remove = screen.getByRole<HTMLButtonElement>("button", { name: "Remove Ben in Production servers" });
    await waitFor(() => expect(remove.disabled).toBe(false));
    await user.click(remove);
    const form = await dialog("Remove Membership");
    await user.click(form.getByRole("button", { name: "Remove" }));
    expect(await form.findByText("Give a reason for the removal")).toBeTruthy();
    await user.type(form.getByLabelText(/^Reason/), "Left the team");
    await user.click(form.getByRole("button", { name: "Remove" }));
    expect(await screen.findByText('Ben is no longer a member of "Production servers"')).toBeTruthy();
    expect(api.requestsTo(DECISION).map(({ body }) => body)).toEqual([
      { decision: "confirmed" },
      { decision: "removed", reason: "Left the team" },
    ]);
  });

  test("applies a decision to several memberships at once and reports failures", async () => {
    const SEVERAL = `POST ${AT}/reviews/:id/decisions`;
    const cleo = anItem({ id: "44444444-4444-4444-8444-444444444445" as ReviewItem["id"], name: "Cleo" });
    items = [anItem(), cleo, anItem({ id: "44444444-4444-4444-8444-444444444446" as never, can_decide: false })];
    api.on(SEVERAL, ({ body }) => {
      const { item_ids: ids, decision } = body as { item_ids: string[]; decision: string };
      if (decision === "confirmed") return { json: { done: ids, failed: [], message: "Confirmed 1 membership" } };
      const failed = [
        { id: ids[0], code: "access-control.already-decided", message: "Ada has already decided: confirmed." },
      ];
      return { json: { done: ids.slice(1), failed, message: "Removed 1 membership, 1 membership failed" } };
    });
    const { user } = show(`?tab=reviews&review=${review.id}`);
    const bar = within(await screen.findByRole("region", { name: "Selected memberships" }));
    expect(bar.getByRole<HTMLButtonElement>("button", { name: "Confirm Selected" }).disabled).toBe(true);
    await user.click(screen.getByRole("checkbox", { name: "Select Cleo in Production servers" }));
    expect(bar.getByText("1 membership selected")).toBeTruthy();
    await user.click(bar.getByRole("button", { name: "Confirm Selected" }));
    expect(await screen.findByText("Confirmed 1 membership")).toBeTruthy();
    await user.click(await bar.findByRole("button", { name: "Select All" }));
    expect(bar.getByText("2 memberships selected")).toBeTruthy();
    await user.click(bar.getByRole("button", { name: "Remove Selected" }));
    const form = await dialog("Remove Memberships");
    await user.type(form.getByLabelText(/^Reason/), "Left the team");
    await user.click(form.getByRole("button", { name: "Remove" }));
    expect(await screen.findByText(/1 membership failed. Ada has already decided: confirmed./)).toBeTruthy();
    expect(api.requestsTo(SEVERAL).map(({ body }) => body)).toEqual([
      { item_ids: [cleo.id], decision: "confirmed" },
      { item_ids: [items[0]?.id, cleo.id], decision: "removed", reason: "Left the team" },
    ]);
  });

  test("removes the memberships chosen when the dialog opened, even if the list changes in the meantime", async () => {
    const cleo = anItem({ id: "44444444-4444-4444-8444-444444444445" as ReviewItem["id"], name: "Cleo" });
    const both = (items = [anItem(), cleo]);
    api.on(`POST ${AT}/reviews/:id/decisions`, { json: { done: [], failed: [], message: "Removed 2 memberships" } });
    const { user, queryClient } = show(`?tab=reviews&review=${review.id}`);
    const bar = within(await screen.findByRole("region", { name: "Selected memberships" }));
    await user.click(bar.getByRole("button", { name: "Select All" }));
    await user.click(bar.getByRole("button", { name: "Remove Selected" }));
    const form = await dialog("Remove Memberships");
    items = [cleo];
    await queryClient.invalidateQueries();
    await waitFor(() => expect(screen.queryByText("Remove Selected")).toBeNull());
    await user.type(form.getByLabelText(/^Reason/), "Left");
    await user.click(form.getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("Removed 2 memberships")).toBeTruthy();
    expect(api.requestsTo(`POST ${AT}/reviews/:id/decisions`).map(({ body }) => body)).toEqual([
      { item_ids: both.map(({ id }) => id), decision: "removed", reason: "Left" },
    ]);
  });

  test("disables bulk decisions above the limit of one call", () => {
    const many = Array.from({ length: 201 }, (_, at) => anItem({ id: `item-${at}` as ReviewItem["id"] }));
    const chosen = new Set<string>(many.map(({ id }) => id));
    const ignore = () => undefined;
    renderScreen(
      <ReviewBulkBar reviewId={review.id} items={many} chosen={chosen} onChoose={ignore} onRemove={ignore} />,
    );
    expect(screen.getByText("201 memberships selected. Select at most 200 at once")).toBeTruthy();
    for (const name of ["Confirm Selected", "Remove Selected"]) {
      expect(screen.getByRole<HTMLButtonElement>("button", { name }).disabled).toBe(true);
    }
  });

  test("marks own and changed memberships, and offers only the export for a closed review", async () => {
    items = [
      anItem({ can_decide: false }),
      anItem({
        id: "44444444-4444-4444-8444-444444444445" as ReviewItem["id"],
        name: "Cleo",
        given_now: { role: "manager", permissions: ["list", "manage_members"], expires_at: null },
      }),
    ];
    const { unmount } = show(`?tab=reviews&review=${review.id}`);
    expect(
      await screen.findByText("Another reviewer decides this: you cannot review your own membership."),
    ).toBeTruthy();
    expect(screen.getByText("Changed since")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Close Review" })).toBeTruthy();
    unmount();
    review = aReview({ state: "closed", closed_at: "2026-12-01T00:00:00.000Z", closed_by: "Ada" });
    show(`?tab=reviews&review=${review.id}`);
    expect(await screen.findByRole("button", { name: "Export CSV" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Close Review" })).toBeNull();
  });

  test("starting a review requires a name and opens its memberships", async () => {
    api.on(`POST ${AT}/reviews`, { status: 201, json: review });
    const { user } = show("?tab=reviews");
    await user.click(await screen.findByRole("button", { name: "Start Review" }));
    const form = await dialog("Start Review");
    await user.click(form.getByRole("button", { name: "Start Review" }));
    expect(await form.findByText("Give the review a name")).toBeTruthy();
    await user.type(form.getByLabelText(/^Name/), "Autumn review");
    await user.click(form.getByRole("radio", { name: "Remove" }));
    await user.click(form.getByRole("button", { name: "Start Review" }));
    expect(await screen.findByText("Review started: 2 memberships to decide")).toBeTruthy();
    expect(api.requestsTo(`POST ${AT}/reviews`)[0]?.body).toMatchObject({
      name: "Autumn review",
      scope: { kind: "all" },
      reviewer_id: null,
      unreviewed: "is-removed",
    });
    expect(await screen.findByText("Production servers")).toBeTruthy();
  });
});
