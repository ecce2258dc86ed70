import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import { describeAgent } from "./describe-agent.ts";
import ProfilePage from "./profile-page.tsx";
import ResetPasswordPage from "./reset-password-page.tsx";

const session = (last: string, agent: string | null, is_current: boolean) => ({
  id: `22222222-2222-4222-8222-22222222222${last}`,
  created_at: "2026-01-01T00:00:00.000Z",
  last_active_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2100-01-01T00:00:00.000Z",
  ip: "10.0.0.7",
  agent,
  is_current,
});

let api: TestApi;
beforeEach(async () => {
  signInForTest({ role: "manager" });
  api = await startApi({
    "GET /api/v1/auth/sessions": {
      json: { data: [session("1", "Mozilla Firefox/140 Linux", true), session("2", "curl/8", false)] },
    },
    "DELETE /api/v1/auth/sessions/:id": { json: { message: "ok" } },
    "POST /api/v1/auth/change-password": { json: { message: "ok" } },
    "POST /api/v1/auth/reset-password/complete": { json: { message: "ok" } },
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

describe("the profile", () => {
  test("SHELL-22, OPEN-29: it shows name, email and role", () => {
    renderScreen(<ProfilePage />);
    for (const text of ["Dana Test", "dana@example.test", "Manager"]) expect(screen.getByText(text)).toBeTruthy();
  });

  test("another session can be ended after a question; this one has no such button", async () => {
    const { user } = renderScreen(<ProfilePage />);
    expect(await screen.findByText("This session")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "End session: Firefox on Linux" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "End session: curl/8" }));
    const dialog = await screen.findByRole("dialog", { name: "End session" });
    await user.click(within(dialog).getByRole("button", { name: "End session" }));
    expect(await screen.findByText("Session ended")).toBeTruthy();
    expect(api.requests.some(({ method, path }) => method === "DELETE" && path.endsWith("2222"))).toBe(true);
    await waitFor(() => expect(api.requestsTo("GET /api/v1/auth/sessions")).toHaveLength(2));
  });

  test("sessions that cannot be loaded say so with a Retry", async () => {
    api.on("GET /api/v1/auth/sessions", problem(500, "internal", "Broken"));
    const { user } = renderScreen(<ProfilePage />);
    expect(await screen.findByText("Broken")).toBeTruthy();
    api.on("GET /api/v1/auth/sessions", { json: { data: [] } });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("No open sessions")).toBeTruthy();
  });

  const changePassword = async (user: ReturnType<typeof renderScreen>["user"]) => {
    await user.type(screen.getByLabelText("Current password"), "old password");
    await user.type(screen.getByLabelText("New password"), "new password");
    await user.type(screen.getByLabelText("Confirm password"), "new password");
    await user.click(screen.getByRole("button", { name: "Change password" }));
  };

  test("the password is changed and the fields are emptied", async () => {
    const { user } = renderScreen(<ProfilePage />);
    await changePassword(user);
    expect(await screen.findByText("Password changed. Your other sessions have ended.")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/auth/change-password")[0]?.body).toEqual({
      current_password: "old password",
      new_password: "new password",
    });
    expect(screen.getByLabelText("Current password")).toHaveProperty("value", "");
  });

  test("a wrong current password is said at its field", async () => {
    api.on(
      "POST /api/v1/auth/change-password",
      problem(400, "password.current-wrong", "The current password is not right.", {
        errors: [{ path: "current_password", msg: "The current password is not right." }],
      }),
    );
    const { user } = renderScreen(<ProfilePage />);
    await changePassword(user);
    const message = await screen.findByText("The current password is not right.");
    expect(screen.getByLabelText("Current password").getAttribute("aria-describedby")).toContain(message.id);
  });
});

describe("a reset link", () => {
  test("OPEN-09: its token leaves the address bar and sets the new password", async () => {
    const { user, router } = renderScreen(<ResetPasswordPage />, {
      at: "/reset-password#token=a-token-of-twenty-chars",
    });
    await waitFor(() => expect(router.state.location.hash).toBe(""));
    await user.type(screen.getByLabelText("New password"), "brand new one");
    await user.type(screen.getByLabelText("Confirm password"), "brand new one");
    await user.click(screen.getByRole("button", { name: "Change password" }));
    expect((await screen.findByTestId("address")).textContent).toBe("/login");
    expect(api.requestsTo("POST /api/v1/auth/reset-password/complete")[0]?.body).toEqual({
      token: "a-token-of-twenty-chars",
      password: "brand new one",
    });
  });

  test("a link without a token says what is missing", () => {
    renderScreen(<ResetPasswordPage />, { at: "/reset-password" });
    expect(screen.getByText("This page needs a complete reset link.")).toBeTruthy();
  });

  test("a used link shows the server's words", async () => {
    api.on(
      "POST /api/v1/auth/reset-password/complete",
      problem(410, "password-reset.used", "This link was used already."),
    );
    const { user } = renderScreen(<ResetPasswordPage />, { at: "/reset-password#token=a-token-of-twenty-chars" });
    await user.type(screen.getByLabelText("New password"), "brand new one");
    await user.type(screen.getByLabelText("Confirm password"), "brand new one");
    await user.click(screen.getByRole("button", { name: "Change password" }));
    expect(await screen.findByText("This link was used already.")).toBeTruthy();
  });
});

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605 Version/17.5 Safari/605", "Safari on macOS"],
  ["curl/8.5.0", "curl/8.5.0"],
  [null, "Unknown client"],
])("the agent %s reads %s", (agent, text) => expect(describeAgent(agent)).toBe(text));
