import { screen, waitFor, within } from "@testing-library/react";
import type { User } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest } from "#app/testing/sign-in.ts";
import AdminPage from "#app/pages/admin-page.tsx";
import type { ConsoleTab } from "./admin-page.tsx";
import { TOKEN_CHOICES, aToken } from "#features/tokens/testing/a-token.ts";
import { aUser } from "#features/users/testing/a-user.ts";
import { usualPolicy as policy } from "#features/users/testing/a-policy.ts";

const USERS = "GET /api/v1/users";
const POLICY = "GET /api/v1/admin/sign-in-policy";
const LINK = "https://vault.test/reset-password#token=0123456789abcdef0123";

const keys = {
  is_sealed: false,
  provider: "passphrase",
  root_key_id: "0123456789abcdef0123456789abcdef",
  root_key_since: "2026-11-01T08:00:00.000Z",
  keys: 12,
  signing_key_since: null,
  problem: null,
  rekey_obstacle: "Change the passphrase at the server's command line: npx strongroom rekey.",
};

let api: TestApi;
let people: User[];

beforeEach(async () => {
  signInForTest({ role: "admin" });
  people = [
    aUser({ name: "Ana", email: "ana@example.test" }),
    aUser({ name: "Dana Test", id: TEST_USER.id as User["id"], role: "admin" }),
  ];
  api = await startApi({
    [USERS]: ({ query }) => {
      const found =
        query.get("has_role_request") === null ? people : people.filter((user) => user.requested_role !== null);
      return { json: { data: found, next_cursor: null } };
    },
    "GET /api/v1/users/pending-resets": { json: { data: [] } },
    [POLICY]: { json: policy },
    "GET /api/v1/seal": { json: { is_sealed: false, provider: "passphrase" } },
    "GET /api/v1/admin/keys": { json: keys },
    "GET /api/v1/auth/entrance": { json: { needs_setup: false, sign_up_open: true, mail_configured: true } },
  });
});
afterEach(() => api.close());

const region = (name: string) => within(screen.getByRole("region", { name }));

async function openConsole() {
  const view = renderScreen(<AdminPage />, { at: "/admin" });
  await region("Users").findByText("Ana");
  return view;
}

async function openTab(tab: ConsoleTab, heading: string) {
  const view = renderScreen(<AdminPage />, { at: `/admin?tab=${tab}` });
  await screen.findByRole("heading", { name: heading });
  return view;
}

describe("the Admin Console", () => {
  test("PLACE-05, OPEN-144: shows the specified heading and sentence", async () => {
    await openConsole();
    expect(screen.getByRole("heading", { level: 1, name: "Admin Console" })).toBeTruthy();
    expect(screen.getByText("Manage users, subscription plans, system settings")).toBeTruthy();
  });

  test("OPEN-19: a user sees that only administrators have access, and the page sends no requests", () => {
    signInForTest({ role: "user" });
    renderScreen(<AdminPage />, { at: "/admin" });
    expect(screen.getByText("Only administrators can manage users and settings.")).toBeTruthy();
    expect(screen.queryByRole("region")).toBeNull();
    expect(api.requests).toEqual([]);
  });

  test("a manager is sent to the groups, and the page sends no requests", () => {
    signInForTest({ role: "manager" });
    const { router } = renderScreen(<AdminPage />, { at: "/admin" });
    expect(router.state.location.pathname).toBe("/admin/groups");
    expect(api.requests).toEqual([]);
  });
});

describe("users", () => {
  test("users are searched on the server after a pause in typing", async () => {
    const { user } = await openConsole();
    await user.type(screen.getByRole("searchbox", { name: "Search users" }), "ana");
    await waitFor(() => expect(api.requestsTo(USERS).at(-1)?.query.get("search")).toBe("ana"));
    people = [];
    await user.type(screen.getByRole("searchbox", { name: "Search users" }), "x");
    expect(await screen.findByText("No users found")).toBeTruthy();
  });

  test("a list of users that fails to load shows a retry button", async () => {
    api.on(USERS, problem(500, "internal", "The database is away."));
    const { user } = renderScreen(<AdminPage />, { at: "/admin" });
    await region("Users").findByText("The database is away.");
    api.on(USERS, { json: { data: people, next_cursor: null } });
    await user.click(region("Users").getByRole("button", { name: "Retry" }));
    expect(await region("Users").findByText("Ana")).toBeTruthy();
  });

  test("an administrator changes a user's role after confirmation", async () => {
    const { user } = await openConsole();
    const route = "PUT /api/v1/users/:id/role";
    api.on(route, { json: { ...people[0], role: "manager" } });
    await user.click(screen.getByRole("button", { name: "Actions for Ana" }));
    await user.click(await screen.findByRole("menuitem", { name: "Make Manager" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change Ana's Role to Manager" }));
    expect(dialog.getByText(/Their sessions end/)).toBeTruthy();
    expect(api.requestsTo(route)).toEqual([]);
    await user.click(dialog.getByRole("button", { name: "Change Role" }));
    expect(await screen.findByText("Ana is now Manager")).toBeTruthy();
    expect(api.requestsTo(route)[0]?.body).toEqual({ role: "manager" });
    expect(api.requestsTo(route)[0]?.path).toContain(people[0]?.id);
  });

  test("an administrator disables a user after confirmation, and the list is refetched", async () => {
    const { user } = await openConsole();
    api.on("PUT /api/v1/users/:id/status", () => {
      people = people.map((each) => (each.name === "Ana" ? { ...each, status: "disabled" } : each));
      return { json: people[0] };
    });
    await user.click(screen.getByRole("button", { name: "Actions for Ana" }));
    await user.click(await screen.findByRole("menuitem", { name: "Disable" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Disable" }));
    expect(await region("Users").findByText("Disabled")).toBeTruthy();
  });

  test("users who are waiting for activation can be deleted but not disabled", async () => {
    people = people.map((each) => (each.name === "Ana" ? { ...each, status: "pending" } : each));
    const { user } = await openConsole();
    await user.click(screen.getByRole("button", { name: "Actions for Ana" }));
    expect(await screen.findByRole("menuitem", { name: "Delete" })).toBeTruthy();
    expect(screen.queryByRole("menuitem", { name: "Disable" })).toBeNull();
    expect(screen.queryByRole("menuitem", { name: "Enable" })).toBeNull();
  });

  test("a user keeps the role when the confirmation is cancelled", async () => {
    const { user } = await openConsole();
    await user.click(screen.getByRole("button", { name: "Actions for Ana" }));
    await user.click(await screen.findByRole("menuitem", { name: "End Sessions" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(api.requestsTo("POST /api/v1/users/:id/end-sessions")).toEqual([]);
  });

  test("a user shows the sign-in provider, and API tokens that can be revoked after confirmation", async () => {
    people = [aUser({ name: "Ana", signs_in_through: "Corporate directory" }), aUser({ name: "Ben" })];
    const tokens = "GET /api/v1/users/:id/tokens";
    const list = { data: [aToken({ name: "Nightly export" })], choices: TOKEN_CHOICES };
    api.on(tokens, { json: list });
    api.on("DELETE /api/v1/tokens/:id", () => {
      list.data = [aToken({ name: "Nightly export", state: "revoked" })];
      return { json: { message: "The token Nightly export is revoked." } };
    });
    const { user } = await openConsole();
    expect(region("Users").getByText("Corporate directory")).toBeTruthy();
    expect(region("Users").getByText("Local password")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Actions for Ana" }));
    await user.click(await screen.findByRole("menuitem", { name: "API Tokens" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Tokens of Ana" }));
    await user.click(await dialog.findByRole("button", { name: "Revoke Nightly export" }));
    const question = within(await screen.findByRole("dialog", { name: "Revoke Token" }));
    await user.click(question.getByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(dialog.queryByRole("button", { name: "Revoke Nightly export" })).toBeNull());
    expect(api.requestsTo(tokens)[0]?.path).toContain(people[0]?.id);
  });

  test("a refused action shows the server's message", async () => {
    const { user } = await openConsole();
    api.on("PUT /api/v1/users/:id/status", problem(409, "user.last-admin", "This is the last administrator."));
    await user.click(screen.getByRole("button", { name: "Actions for Ana" }));
    await user.click(await screen.findByRole("menuitem", { name: "Disable" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Disable" }));
    expect(await screen.findByText("This is the last administrator.")).toBeTruthy();
  });

  test("an administrator's own row leads to their profile and changes nothing", async () => {
    const { user } = await openConsole();
    expect(region("Users").getByText("You")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Actions for Dana Test" }));
    const items = (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
    expect(items).toEqual(["My Profile"]);
  });

  test("a header sorts on the server, and the address keeps the order", async () => {
    const { user, router } = await openConsole();
    await user.click(region("Users").getByRole("button", { name: "Last Signed In" }));
    await waitFor(() =>
      expect(api.requestsTo("GET /api/v1/users").at(-1)?.query.get("sort")).toBe("last_signed_in_at"),
    );
    expect(router.state.location.search).toContain("sort=last_signed_in_at");
  });
});

describe("role requests", () => {
  test.each([
    ["approve", "Approve"],
    ["deny", "Deny"],
  ] as const)("OPEN-18: role requests show %s after confirmation", async (decision, label) => {
    people = [aUser({ name: "Ana", requested_role: "manager" })];
    const { user } = await openTab("role-requests", "Role Requests");
    const route = "POST /api/v1/users/:id/role-request";
    api.on(route, () => {
      people = people.map((each) => ({ ...each, requested_role: null }));
      return { json: people[0] };
    });
    await user.click(await screen.findByRole("button", { name: `${label} Ana` }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: label }));
    expect(await region("Role Requests").findByText("No role requests")).toBeTruthy();
    expect(api.requestsTo(route)[0]?.body).toEqual({ decision });
  });

  test("activating a pending account also approves its requested role", async () => {
    people = [aUser({ name: "Ana", requested_role: "manager", status: "pending" })];
    const { user } = await openTab("role-requests", "Waiting for Activation");
    const route = "POST /api/v1/users/:id/activate";
    api.on(route, () => {
      people = people.map((each) => ({ ...each, role: "manager", requested_role: null, status: "active" }));
      return { json: people[0] };
    });
    await user.click(await screen.findByRole("button", { name: "Activate Ana as Manager" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Activate" }));
    expect(await screen.findByText("Ana is active as Manager")).toBeTruthy();
    expect(api.requestsTo(route)[0]?.body).toEqual({ role_request: "approve" });
    expect(screen.queryByRole("button", { name: "Approve Ana" })).toBeNull();
  });

  test("role requests are fetched with their own query and not filtered from all users", async () => {
    await openTab("role-requests", "Role Requests");
    await waitFor(() =>
      expect(api.requestsTo(USERS).some(({ query }) => query.get("has_role_request") === "true")).toBe(true),
    );
  });
});

describe("pending password resets", () => {
  test("OPEN-09: creating a link shows it once and does not store it", async () => {
    const pending = {
      user_id: people[0]?.id,
      email: "ana@example.test",
      name: "Ana",
      requested_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + 1_800_000).toISOString(),
    };
    api.on("GET /api/v1/users/pending-resets", { json: { data: [pending] } });
    api.on("POST /api/v1/users/:id/reset-link", { json: { link: LINK, expires_at: pending.expires_at } });
    const { user, queryClient } = await openTab("resets", "Password Resets");
    await user.click(await screen.findByRole("button", { name: "Create reset link for Ana" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Reset Link" }));
    expect(await dialog.findByText(LINK)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Copy reset link" }));
    expect(await navigator.clipboard.readText()).toBe(LINK);
    await user.click(dialog.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByText(LINK)).toBeNull());
    const kept = [queryClient.getQueryCache().getAll(), queryClient.getMutationCache().getAll()].flat();
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toContain("token=");
  });
});

describe("the sign-in policy", () => {
  test("the sign-in policy is saved after a change", async () => {
    const { user } = await openTab("policy", "Sign-In Policy");
    api.on("PUT /api/v1/admin/sign-in-policy", ({ body }) => ({ json: body }));
    const timeout = await screen.findByRole("spinbutton", { name: "Inactivity timeout" });
    expect(screen.getByRole("button", { name: "Save Policy" }).hasAttribute("disabled")).toBe(true);
    await user.clear(timeout);
    await user.type(timeout, "60");
    await user.click(screen.getByRole("radio", { name: /^Invitation only/ }));
    await user.click(screen.getByRole("button", { name: "Save Policy" }));
    expect(await screen.findByText("Sign-in policy saved")).toBeTruthy();
    expect(api.requestsTo("PUT /api/v1/admin/sign-in-policy")[0]?.body).toEqual({
      ...policy,
      timeout_minutes: 60,
      sign_up: "closed",
    });
  });

  test("OPEN-01: a warning later than the timeout is rejected before it is sent", async () => {
    const { user } = await openTab("policy", "Sign-In Policy");
    const warning = await screen.findByRole("spinbutton", { name: "Timeout warning" });
    await user.clear(warning);
    await user.type(warning, "45");
    await user.click(screen.getByRole("button", { name: "Save Policy" }));
    expect(await screen.findByText("The warning must come before the timeout.")).toBeTruthy();
    expect(api.requestsTo("PUT /api/v1/admin/sign-in-policy")).toEqual([]);
  });
});

describe("the seal", () => {
  test("the seal shows its state, and the vault can be sealed after confirmation", async () => {
    const { user } = await openTab("keys", "Seal");
    api.on("POST /api/v1/seal/seal", { json: { message: "The vault is sealed." } });
    expect(await region("Seal").findByText("Unsealed")).toBeTruthy();
    await user.click(region("Seal").getByRole("button", { name: "Seal the Vault" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Seal the Vault" }));
    expect(api.requestsTo("POST /api/v1/seal/seal")).toEqual([]);
    await user.click(dialog.getByRole("button", { name: "Seal the Vault" }));
    await waitFor(() => expect(api.requestsTo("POST /api/v1/seal/seal")).toHaveLength(1));
  });

  test("a vault with a key file cannot be sealed", async () => {
    api.on("GET /api/v1/seal", { json: { is_sealed: false, provider: "key-file" } });
    await openTab("keys", "Seal");
    expect(await region("Seal").findByText("Key file")).toBeTruthy();
    expect(region("Seal").queryByRole("button")).toBeNull();
  });
});

describe("inviting a user", () => {
  test("an invitation link shows once when the administrator hands it over, and not at all when it is emailed", async () => {
    const { user } = await openConsole();
    const route = "POST /api/v1/users";
    api.on(route, ({ body }) => {
      const { by } = body as { by: string };
      return { status: 201, json: { user: people[0], link: by === "link" ? LINK : null, expires_at: inADay() } };
    });
    await user.click(screen.getByRole("button", { name: "Invite User" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Invite User" }));
    await user.type(await dialog.findByRole("textbox", { name: /Email/ }), "new@example.test");
    await user.click(dialog.getByRole("button", { name: "Invite" }));
    expect(await screen.findByText("Invitation sent to ana@example.test")).toBeTruthy();
    expect(api.requestsTo(route)[0]?.body).toEqual({ email: "new@example.test", role: "user", by: "mail" });
    expect(screen.queryByText(LINK)).toBeNull();
  });

  test("a user with an open invitation can get a new link", async () => {
    people = [aUser({ name: "Ana", invited_at: "2026-11-20T08:00:00.000Z" })];
    const { user } = await openConsole();
    expect(within(screen.getByRole("row", { name: /Ana/ })).getByText("Invited")).toBeTruthy();
    api.on("POST /api/v1/users/:id/invitation", { json: { user: people[0], link: LINK, expires_at: inADay() } });
    await user.click(screen.getByRole("button", { name: "Actions for Ana" }));
    await user.click(await screen.findByRole("menuitem", { name: "Create Invitation Link" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Invitation Link" }));
    expect(await dialog.findByText(LINK)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByText(LINK)).toBeNull());
  });
});

test("users are filtered by role and status, and the address keeps the filter", async () => {
  const { user } = await openConsole();
  await user.click(screen.getByRole("combobox", { name: "Status" }));
  await user.click(await screen.findByRole("option", { name: "Invited" }));
  await waitFor(() => expect(api.requestsTo(USERS).at(-1)?.query.get("status")).toBe("invited"));
});

test("a user who is locked after wrong passwords is unlocked after confirmation", async () => {
  people = [aUser({ name: "Ana", slowed_down_until: inADay() })];
  const { user } = await openConsole();
  const route = "POST /api/v1/users/:id/unlock";
  api.on(route, { json: people[0] });
  await user.click(screen.getByRole("button", { name: "Actions for Ana" }));
  await user.click(await screen.findByRole("menuitem", { name: "Unlock" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Unlock" }));
  expect(await screen.findByText("Ana can sign in again")).toBeTruthy();
  expect(api.requestsTo(route)).toHaveLength(1);
});

test("every tab has its own address", async () => {
  const { user, router } = await openConsole();
  await user.click(screen.getByRole("tab", { name: "Seal & Keys" }));
  expect(await screen.findByText(/npx strongroom rekey/)).toBeTruthy();
  expect(router.state.location.search).toBe("?tab=keys");
});

const inADay = () => new Date(Date.now() + 86_400_000).toISOString();
