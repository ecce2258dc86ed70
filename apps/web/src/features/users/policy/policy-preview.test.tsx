import { screen, waitFor, within } from "@testing-library/react";
import type { PolicyPreview, UserId } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { notesOf, partsOf, warningsOf } from "./policy-preview-labels.ts";
import SignInPolicyCard from "./sign-in-policy-card.tsx";
import { usualPolicy as policy } from "../testing/a-policy.ts";

const PREVIEW = "POST /api/v1/admin/sign-in-policy/preview";
const SAVE = "PUT /api/v1/admin/sign-in-policy";
const nothing: PolicyPreview = {
  you: { address: "192.0.2.7", is_outside: false, lacks_factor: false, is_signed_out: false },
  without_factor: { people: 0, sessions: 0, tokens: 0, shown: [] },
  outside: { people: 0, sessions: 0, tokens: 0, shown: [] },
  ending: { people: 0, idle: 0, expired: 0, shown: [] },
  proofs_over: 0,
};
const ana = {
  user_id: "77777777-7777-4777-8777-777777777777" as UserId,
  name: "Ana",
  email: "ana@example.test",
  role: "manager" as const,
};

describe("preview texts", () => {
  test("the caller is warned first about a lockout, a missing factor or a sign-out", () => {
    expect(warningsOf(nothing)).toEqual([]);
    const you = { address: "192.0.2.7", is_outside: true, lacks_factor: true, is_signed_out: true };
    expect(warningsOf({ ...nothing, you })).toEqual([
      "Your address 192.0.2.7 is not in any of these networks. You cannot save this because it would lock you out.",
      "You have no second factor. You would have to set one up at your next sign-in.",
      "You would be signed out as soon as you save.",
    ]);
  });

  test("the preview lists users with the effect on them, and the number of unlisted users", () => {
    const parts = partsOf({
      ...nothing,
      without_factor: {
        people: 61,
        sessions: 3,
        tokens: 2,
        shown: [
          { ...ana, has_provider_factor: false, sessions: 1, tokens: 2 },
          { ...ana, name: "Ben", has_provider_factor: true, sessions: 2, tokens: 0 },
        ],
      },
      outside: {
        people: 1,
        sessions: 1,
        tokens: 0,
        shown: [{ ...ana, addresses: ["203.0.113.7", "203.0.113.9"], sessions: 1, tokens: 0 }],
      },
      ending: { people: 1, idle: 2, expired: 0, shown: [{ ...ana, idle: 2, expired: 0 }] },
    });
    expect(parts.map(({ title, more }) => [title, more])).toEqual([
      ["61 people would need a second factor and have none: 3 sessions would end, 2 API tokens would stop working", 60],
      ["1 person would be outside the allowed networks: 1 open session, 0 API tokens", 0],
      ["1 person would be signed out: 2 sessions idle for too long", 0],
    ]);
    expect(parts.flatMap(({ people }) => people.map(({ says }) => says))).toEqual([
      "Manager, 1 session would end, 2 API tokens would stop working",
      "Manager with a second factor at the provider: must sign in again",
      "Manager, last seen at 203.0.113.7 and 203.0.113.9, 1 open session",
      "Manager, 2 sessions idle for too long",
    ]);
  });

  test("provider MFA satisfies the MFA requirement", () => {
    const ben = { ...ana, has_provider_factor: true, sessions: 2, tokens: 0 };
    const [part] = partsOf({ ...nothing, without_factor: { people: 0, sessions: 2, tokens: 0, shown: [ben] } });
    expect([part?.title, part?.more]).toEqual([
      "2 sessions would end; these users sign in again with their provider's second factor",
      0,
    ]);
  });

  test("the preview also lists changes that affect no current user", () => {
    const before = { ...policy, mfa_required_roles: ["admin" as const], allowed_networks: ["10.0.0.0/8"] };
    const after = { ...policy, sign_up: "closed" as const, password_min_length: 12 };
    expect(notesOf(before, after, { ...nothing, proofs_over: 1 })).toEqual([
      "New users would need an invitation.",
      "New passwords would need at least 12 characters. Existing passwords stay valid.",
      "Users could sign in from any network.",
      "The role Admin would no longer require a second factor.",
      "1 session would have to re-authenticate before the next sensitive action.",
    ]);
    expect(notesOf(after, policy, nothing)).toEqual([
      "Anyone who can reach this server could sign up and would wait for activation.",
    ]);
  });
});

describe("the preview beside Save", () => {
  let api: TestApi;
  beforeEach(async () => {
    signInForTest({ role: "admin" });
    api = await startApi({ "GET /api/v1/admin/sign-in-policy": { json: policy } });
  });
  afterEach(() => api.close());

  async function withAdminsAsked() {
    const { user } = renderScreen(<SignInPolicyCard />);
    const ask = await screen.findByRole("button", { name: "What would change?" });
    expect(ask.hasAttribute("disabled")).toBe(true);
    await user.click(screen.getByRole("checkbox", { name: "Admin" }));
    return { user, ask };
  }

  test("shows the server's preview until the form changes, and saves nothing", async () => {
    api.on(PREVIEW, {
      json: {
        ...nothing,
        you: { ...nothing.you, lacks_factor: true, is_signed_out: true },
        without_factor: {
          people: 1,
          sessions: 1,
          tokens: 0,
          shown: [{ ...ana, has_provider_factor: false, sessions: 1, tokens: 0 }],
        },
      },
    });
    const { user, ask } = await withAdminsAsked();
    await user.click(ask);
    const title = "1 person would need a second factor and has none: 1 session would end";
    const list = await screen.findByRole("list", { name: title });
    expect(within(list).getByText("Ana")).toBeTruthy();
    expect(screen.getByText("You would be signed out as soon as you save.")).toBeTruthy();
    expect(api.requestsTo(PREVIEW)[0]?.body).toEqual({ ...policy, mfa_required_roles: ["admin"] });
    expect(api.requestsTo(SAVE)).toEqual([]);
    await user.click(screen.getByRole("checkbox", { name: "Manager" }));
    await waitFor(() => expect(screen.queryByRole("list", { name: title })).toBeNull());
  });

  test("says when no user is affected, shows a refusal in the server's words, and can be repeated", async () => {
    api.on(PREVIEW, problem(500, "internal", "The database is away."));
    const { user, ask } = await withAdminsAsked();
    await user.click(ask);
    expect((await screen.findByRole("alert")).textContent).toBe("The database is away.");
    api.on(PREVIEW, { json: nothing });
    await user.click(ask);
    expect(await screen.findByText("No current users would be affected.")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test("is disabled while the policy is invalid", async () => {
    const { user, ask } = await withAdminsAsked();
    const timeout = screen.getByRole("spinbutton", { name: "Inactivity timeout" });
    await user.clear(timeout);
    expect(ask.hasAttribute("disabled")).toBe(true);
    await user.type(timeout, "60");
    expect(ask.hasAttribute("disabled")).toBe(false);
  });
});
