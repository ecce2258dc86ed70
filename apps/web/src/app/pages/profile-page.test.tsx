// Tests of the profile page through its UI.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest, signOutForTest, testToken } from "#app/testing/sign-in.ts";
import { aToken, TOKEN_CHOICES } from "#features/tokens/testing/a-token.ts";
import { currentSession } from "#shared/session/session-store.ts";
import ProfilePage from "./profile-page.tsx";

const session = (last: string, agent: string | null, is_current: boolean) => ({
  id: `22222222-2222-4222-8222-22222222222${last}`,
  created_at: "2026-01-01T00:00:00.000Z",
  last_active_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2100-01-01T00:00:00.000Z",
  ip: "10.0.0.7",
  agent,
  is_current,
});

const TOKEN = `srt_${"a".repeat(49)}`;
const profile = {
  id: TEST_USER.id,
  email: TEST_USER.email,
  name: TEST_USER.name,
  role: "manager",
  created_at: "2026-01-01T00:00:00.000Z",
  signed_in_by: "password",
  has_password: true,
};

let api: TestApi;
beforeEach(async () => {
  signInForTest({ role: "manager" });
  api = await startApi({
    "GET /api/v1/auth/profile": { json: profile },
    "GET /api/v1/auth/sessions": {
      json: { data: [session("1", "Mozilla Firefox/140 Linux", true), session("2", "curl/8", false)] },
    },
    "GET /api/v1/auth/factors": { json: { data: [], recovery_codes_left: 0, is_required: false } },
    "GET /api/v1/auth/ssh-keys": { json: { data: [], most_days: 90 } },
    "GET /api/v1/tokens": { json: { data: [], choices: TOKEN_CHOICES } },
    "GET /api/v1/safes": { json: { safes: [], next_cursor: null } },
    "DELETE /api/v1/auth/sessions/:id": { json: { message: "ok" } },
    "DELETE /api/v1/auth/sessions": { json: { message: "1 session ended." } },
    "POST /api/v1/auth/change-password": { json: { message: "ok" } },
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

const region = async (name: string) => within(await screen.findByRole("region", { name }));

describe("the profile", () => {
  test("SHELL-22, OPEN-29: shows name, email, role and sign-in method", async () => {
    renderScreen(<ProfilePage />);
    const you = await region("Your Details");
    for (const text of ["Dana Test", "dana@example.test", "Manager", "Password"]) {
      expect(await you.findByText(text)).toBeTruthy();
    }
  });

  test("saves a new name, and the session continues with a token that contains it", async () => {
    api.on("PUT /api/v1/auth/profile", { json: { token: testToken({ name: "Dana Renamed", role: "manager" }) } });
    const { user } = renderScreen(<ProfilePage />);
    await user.click(await screen.findByRole("button", { name: "Change Name" }));
    const field = screen.getByLabelText("Name");
    await user.clear(field);
    await user.type(field, "Dana Renamed");
    await user.click(screen.getByRole("button", { name: "Save Name" }));
    expect(await screen.findByText("Name changed")).toBeTruthy();
    expect(api.requestsTo("PUT /api/v1/auth/profile")[0]?.body).toEqual({ name: "Dana Renamed" });
    expect(currentSession().user?.name).toBe("Dana Renamed");
  });

  test("shows no password change to a user who signed in through a provider", async () => {
    api.on("GET /api/v1/auth/profile", { json: { ...profile, signed_in_by: "oidc", has_password: false } });
    renderScreen(<ProfilePage />);
    expect(await screen.findByText("Single sign-on")).toBeTruthy();
    expect(screen.queryByLabelText("Current password")).toBeNull();
  });

  test("ends all other sessions after confirmation", async () => {
    const { user } = renderScreen(<ProfilePage />);
    await user.click(await screen.findByRole("button", { name: "End All Others" }));
    const dialog = await screen.findByRole("dialog", { name: "End All Other Sessions" });
    expect(within(dialog).getByText(/all your API tokens and SSH keys stop working/)).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "End All Others" }));
    expect(await screen.findByText("1 session ended.")).toBeTruthy();
    expect(api.requestsTo("DELETE /api/v1/auth/sessions")).toHaveLength(1);
  });

  test("ends another session after confirmation; the current session has no such button", async () => {
    const { user } = renderScreen(<ProfilePage />);
    expect(await screen.findByText("This session")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "End session: Firefox on Linux" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "End session: curl/8" }));
    const dialog = await screen.findByRole("dialog", { name: "End Session" });
    await user.click(within(dialog).getByRole("button", { name: "End Session" }));
    expect(await screen.findByText("Session ended")).toBeTruthy();
    expect(api.requests.some(({ method, path }) => method === "DELETE" && path.endsWith("2222"))).toBe(true);
    await waitFor(() => expect(api.requestsTo("GET /api/v1/auth/sessions")).toHaveLength(2));
  });

  test("shows an error with Retry when sessions fail to load", async () => {
    api.on("GET /api/v1/auth/sessions", problem(500, "internal", "Broken"));
    const { user } = renderScreen(<ProfilePage />);
    expect(await screen.findByText("Broken")).toBeTruthy();
    api.on("GET /api/v1/auth/sessions", { json: { data: [] } });
    const sessions = await region("Your Sessions");
    await user.click(sessions.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("No open sessions")).toBeTruthy();
  });

  const changePassword = async (user: ReturnType<typeof renderScreen>["user"]) => {
    await user.type(screen.getByLabelText("Current password"), "old password");
    await user.type(screen.getByLabelText("New password"), "new password");
    await user.type(screen.getByLabelText("Confirm password"), "new password");
    await user.click(screen.getByRole("button", { name: "Change Password" }));
  };

  test("changes the password and clears the fields", async () => {
    const { user } = renderScreen(<ProfilePage />);
    await changePassword(user);
    expect(await screen.findByText("Password changed. Your other sessions have ended.")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/auth/change-password")[0]?.body).toEqual({
      current_password: "old password",
      new_password: "new password",
      keep_tokens: [],
      keep_ssh_keys: false,
    });
    expect(screen.getByLabelText("Current password")).toHaveProperty("value", "");
  });

  test("keeps the API tokens selected during a password change, and preselects none", async () => {
    const id = (last: string) => `44444444-4444-4444-8444-44444444444${last}` as never;
    const kept = aToken({ name: "Nightly export" });
    const data = [
      kept,
      aToken({ id: id("1"), name: "Old script" }),
      aToken({ id: id("2"), name: "Over", state: "expired" }),
    ];
    api.on("GET /api/v1/tokens", { json: { data, choices: TOKEN_CHOICES } });
    const { user } = renderScreen(<ProfilePage />);
    await user.click(await screen.findByRole("checkbox", { name: /^Nightly export/ }));
    expect(screen.getByRole("checkbox", { name: /^Old script/ })).toHaveProperty("checked", false);
    expect(screen.queryByRole("checkbox", { name: /^Over/ })).toBeNull();
    await changePassword(user);
    await waitFor(() =>
      expect(api.requestsTo("POST /api/v1/auth/change-password")[0]?.body).toMatchObject({ keep_tokens: [kept.id] }),
    );
  });

  test("shows a wrong current password at its field", async () => {
    api.on(
      "POST /api/v1/auth/change-password",
      problem(400, "password.current-wrong", "The current password is wrong.", {
        errors: [{ path: "current_password", msg: "The current password is wrong." }],
      }),
    );
    const { user } = renderScreen(<ProfilePage />);
    await changePassword(user);
    const message = await screen.findByText("The current password is wrong.");
    expect(screen.getByLabelText("Current password").getAttribute("aria-describedby")).toContain(message.id);
  });
});

describe("API tokens on the profile", () => {
  test("a new token shows once with its usage, and disappears when the dialog closes", async () => {
    const made = aToken({ name: "Nightly export" });
    api.on("POST /api/v1/tokens", { status: 201, json: { token: TOKEN, details: made } });
    const { user, queryClient } = renderScreen(<ProfilePage />);
    expect(await screen.findByText("No API tokens")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Create Token" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Create Token" }));
    await user.click(dialog.getByRole("button", { name: "Create Token" }));
    expect(await dialog.findByText("Give the token a name.")).toBeTruthy();
    await user.type(dialog.getByLabelText(/^Name/), "Nightly export");
    await user.click(dialog.getByRole("radio", { name: "Retrieve" }));
    await user.type(dialog.getByLabelText("Allowed networks"), "10.0.0.0/8");
    await user.click(dialog.getByRole("button", { name: "Create Token" }));
    const shown = within(await screen.findByRole("dialog", { name: "Your New Token" }));
    expect(shown.getByText(TOKEN)).toBeTruthy();
    expect(shown.getByRole("button", { name: "Copy API token" })).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/tokens")[0]?.body).toEqual({
      name: "Nightly export",
      scopes: ["retrieve"],
      networks: ["10.0.0.0/8"],
      expires_in_days: 30,
    });
    await user.click(shown.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByText(TOKEN)).toBeNull());
    const kept = JSON.stringify(
      queryClient
        .getQueryCache()
        .getAll()
        .map(({ state }) => state),
    );
    expect(
      kept +
        JSON.stringify(
          queryClient
            .getMutationCache()
            .getAll()
            .map(({ state }) => state),
        ),
    ).not.toContain(TOKEN);
  });

  test("each token lists its scopes, safes, networks and expiry, and an active token can be revoked", async () => {
    const tokens = [
      aToken({
        name: "Deploy",
        scopes: ["account.read", "account.verify", "safe.read"],
        safes: [{ id: "44444444-4444-4444-8444-444444444444" as never, name: "Production" }],
        networks: ["10.0.0.0/8"],
      }),
      aToken({ id: "33333333-3333-4333-8333-333333333334" as never, name: "Old one", state: "revoked" }),
    ];
    api.on("GET /api/v1/tokens", { json: { data: tokens, choices: TOKEN_CHOICES } });
    api.on("DELETE /api/v1/tokens/:id", { json: { message: "ok" } });
    const { user } = renderScreen(<ProfilePage />);
    const card = await region("API Tokens");
    expect(await card.findByText("Read accounts, Verify accounts and 1 more")).toBeTruthy();
    expect(card.getByText(/only in Production/)).toBeTruthy();
    expect(card.getByText("Revoked")).toBeTruthy();
    expect(card.queryByRole("button", { name: "Revoke Old one" })).toBeNull();
    await user.click(card.getByRole("button", { name: "Revoke Deploy" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Revoke" }));
    expect(await screen.findByText("Token revoked")).toBeTruthy();
    expect(api.requestsTo("DELETE /api/v1/tokens/:id")).toHaveLength(1);
  });

  test("a refused token shows the server's errors at their fields", async () => {
    api.on(
      "POST /api/v1/tokens",
      problem(400, "token.life-too-long", "At most 20 days here.", {
        errors: [{ path: "expires_in_days", msg: "At most 20 days here." }],
      }),
    );
    const { user } = renderScreen(<ProfilePage />);
    await user.click(await screen.findByRole("button", { name: "Create Token" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Create Token" }));
    await user.type(dialog.getByLabelText(/^Name/), "Deploy");
    await user.click(dialog.getByRole("button", { name: "Create Token" }));
    expect((await dialog.findAllByText("At most 20 days here.")).length).toBe(2);
  });
});
