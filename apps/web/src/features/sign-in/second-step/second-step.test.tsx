// Tests the second step on the sign-in page: TOTP codes, recovery codes and setting up a required first factor.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SignedOutOnly } from "#app/guards.tsx";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signOutForTest, testToken } from "#app/testing/sign-in.ts";
import SignInPage from "../sign-in-page.tsx";
import { currentSession } from "#shared/session/session-store.ts";

const PENDING = "waiting-for-the-second-step";
const step = (kinds: string[]) => ({
  json: {
    second_step: { pending: PENDING, expires_at: "2026-11-21T12:00:00.000Z", kinds, passkey: null },
  },
});
const SECOND = "POST /api/v1/auth/second-step";

let api: TestApi;
beforeEach(async () => {
  signOutForTest();
  api = await startApi({
    "GET /api/v1/auth/entrance": { json: { needs_setup: false, sign_up_open: true, mail_configured: true } },
    "POST /api/v1/auth/login": step(["totp", "recovery"]),
    [SECOND]: { json: { token: testToken() } },
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

async function afterPassword() {
  const { user } = renderScreen(null, {
    at: "/auth",
    routes: [{ element: <SignedOutOnly />, children: [{ path: "/auth", element: <SignInPage /> }] }],
  });
  await user.type(screen.getByPlaceholderText("Enter your email address"), "dana@example.test");
  await user.type(screen.getByPlaceholderText("Enter your password"), "correct horse");
  await user.click(screen.getByRole("button", { name: "Sign In" }));
  await screen.findByRole("heading", { level: 1, name: "One More Step" });
  return user;
}

test("OPEN-10: a second factor is asked for in its own step, and its code signs in", async () => {
  const user = await afterPassword();
  expect(currentSession().status).toBe("signed-out");
  await user.type(screen.getByRole("textbox", { name: "Code" }), "123 456{Enter}");
  expect((await screen.findByTestId("address")).textContent).toBe("/");
  expect(await screen.findByText("Welcome back!")).toBeTruthy();
  expect(api.requestsTo(SECOND)[0]?.body).toEqual({ pending: PENDING, proof: { kind: "totp", code: "123 456" } });
});

test("a wrong code keeps the user on the step with an error, and a recovery code works instead", async () => {
  api.on(SECOND, problem(401, "second-step.refused", "Incorrect or already used. Try again."));
  const user = await afterPassword();
  await user.type(screen.getByRole("textbox", { name: "Code" }), "000000{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("Incorrect or already used");
  api.on(SECOND, { json: { token: testToken() } });
  await user.click(screen.getByRole("button", { name: "Use a Recovery Code" }));
  expect(screen.queryByRole("alert")).toBeNull();
  await user.type(screen.getByRole("textbox", { name: "Recovery code" }), "abcd-efgh-ijkl-mnop{Enter}");
  await waitFor(() => expect(currentSession().status).toBe("signed-in"));
});

test("an expired step returns to the password and shows the reason", async () => {
  api.on(SECOND, problem(401, "second-step.over", "This sign-in took too long. Start again."));
  const user = await afterPassword();
  await user.type(screen.getByRole("textbox", { name: "Code" }), "123456{Enter}");
  expect(await screen.findByRole("button", { name: "Sign In" })).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toContain("took too long");
});

test("a user whose role requires a factor sets one up and sees the recovery codes before signing in", async () => {
  api.on("POST /api/v1/auth/login", step([]));
  const key = "JBSWY3DPEHPK3PXP";
  api.on("POST /api/v1/auth/second-step/begin-factor", {
    json: { totp: { key, uri: `otpauth://totp/Strongroom:dana?secret=${key}` }, passkey: null },
  });
  const codes = ["abcd-efgh-ijkl-mnop", "qrst-uvwx-yzab-cdef"];
  api.on("POST /api/v1/auth/second-step/add-factor", { json: { token: testToken(), recovery_codes: codes } });
  const user = await afterPassword();
  expect(screen.queryByRole("button", { name: "Use a Passkey" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Use an Authenticator App" }));
  expect(await screen.findByRole("img", { name: "QR code for the authenticator app" })).toBeTruthy();
  expect(screen.getByText(key)).toBeTruthy();
  await user.type(screen.getByRole("textbox", { name: "Code" }), "123456");
  await user.click(screen.getByRole("button", { name: "Add App" }));
  const shown = await screen.findByRole("list", { name: "Recovery codes" });
  expect(
    within(shown)
      .getAllByRole("listitem")
      .map(({ textContent }) => textContent),
  ).toEqual(codes);
  expect(currentSession().status).toBe("signed-out");
  expect(screen.getByRole("button", { name: "Continue" })).toHaveProperty("disabled", true);
  await user.click(screen.getByRole("checkbox", { name: "I have stored these codes in a safe place" }));
  await user.click(screen.getByRole("button", { name: "Continue" }));
  await waitFor(() => expect(currentSession().status).toBe("signed-in"));
});
