import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { describeAgent } from "../sessions/own-sessions-card.tsx";
import ResetPasswordPage from "./reset-password-page.tsx";

let api: TestApi;
beforeEach(async () => {
  api = await startApi({ "POST /api/v1/auth/reset-password/complete": { json: { message: "ok" } } });
});
afterEach(() => api.close());

describe("the reset page", () => {
  test("OPEN-09: removes the token from the address bar and sets the new password", async () => {
    const { user, router } = renderScreen(<ResetPasswordPage />, {
      at: "/reset-password#token=a-token-of-twenty-chars",
    });
    await waitFor(() => expect(router.state.location.hash).toBe(""));
    await user.type(screen.getByLabelText("New password"), "brand new one");
    await user.type(screen.getByLabelText("Confirm password"), "brand new one");
    await user.click(screen.getByRole("button", { name: "Change Password" }));
    expect((await screen.findByTestId("address")).textContent).toBe("/login");
    expect(api.requestsTo("POST /api/v1/auth/reset-password/complete")[0]?.body).toEqual({
      token: "a-token-of-twenty-chars",
      password: "brand new one",
    });
  });

  test("explains that the link contains no token", () => {
    renderScreen(<ResetPasswordPage />, { at: "/reset-password" });
    expect(screen.getByText("The reset link is incomplete. Open the complete link.")).toBeTruthy();
  });

  test("shows the server's message for a used link", async () => {
    api.on(
      "POST /api/v1/auth/reset-password/complete",
      problem(410, "password-reset.used", "This link was used already."),
    );
    const { user } = renderScreen(<ResetPasswordPage />, { at: "/reset-password#token=a-token-of-twenty-chars" });
    await user.type(screen.getByLabelText("New password"), "brand new one");
    await user.type(screen.getByLabelText("Confirm password"), "brand new one");
    await user.click(screen.getByRole("button", { name: "Change Password" }));
    expect(await screen.findByText("This link was used already.")).toBeTruthy();
  });
});

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605 Version/17.5 Safari/605", "Safari on macOS"],
  ["curl/8.5.0", "curl/8.5.0"],
  [null, "Unknown client"],
])("describes the user agent %s as %s", (agent, text) => expect(describeAgent(agent)).toBe(text));
