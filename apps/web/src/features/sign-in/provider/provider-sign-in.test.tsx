import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SignedOutOnly } from "#app/guards.tsx";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signOutForTest, testToken } from "#app/testing/sign-in.ts";
import SignInPage from "../sign-in-page.tsx";
import { currentSession, endSession } from "#shared/session/session-store.ts";
import { onProof } from "#shared/session/proof-channel.ts";
import { replaceAway } from "#shared/session/navigate-away.ts";
import ProviderCallbackPage from "./provider-callback-page.tsx";

const ID = "66666666-6666-4666-8666-666666666666";
const BEGIN = "POST /api/v1/auth/oidc/:id/begin";
const LEAVE = "POST /api/v1/auth/oidc/:id/sign-out";
const FINISH = "POST /api/v1/auth/oidc/:id/finish";
let api: TestApi;
let left: string[];
beforeEach(async () => {
  signOutForTest();
  left = [];
  replaceAway((url) => void left.push(url));
  api = await startApi({
    "GET /api/v1/auth/entrance": { json: { needs_setup: false, sign_up_open: true, mail_configured: true } },
    "GET /api/v1/auth/providers": { json: { data: [{ id: ID, name: "Company login" }], has_directory: true } },
    [BEGIN]: { json: { url: "https://login.corp.example/authorize?state=x" } },
    [FINISH]: {
      json: { sign_in: { token: testToken() }, return_to: "/vault?search=db", remember_me: true, proved_until: null },
    },
    [LEAVE]: { json: { url: "https://login.corp.example/logout?client_id=x" } },
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

const showSignIn = () =>
  renderScreen(null, {
    at: "/auth",
    state: { from: { pathname: "/vault", search: "?search=db", hash: "" } },
    routes: [{ element: <SignedOutOnly />, children: [{ path: "/auth", element: <SignInPage /> }] }],
  });

const showCallback = (search = "?code=the-code&state=the-state") =>
  renderScreen(<ProviderCallbackPage />, { at: `/auth/callback/${ID}${search}`, path: "/auth/callback/:id" });

test("the sign-in page has a button for each provider, which redirects there with the page to return to", async () => {
  const { user } = showSignIn();
  await user.click(screen.getByRole("checkbox", { name: "Keep me signed in" }));
  await user.click(await screen.findByRole("button", { name: "Sign in with Company login" }));
  await waitFor(() => expect(left).toEqual(["https://login.corp.example/authorize?state=x"]));
  expect(api.requestsTo(BEGIN)[0]?.body).toEqual({
    return_to: "/vault?search=db",
    remember_me: true,
    authenticate: false,
  });
  expect(screen.getByLabelText("Email or user name")).toBeTruthy();
});

test("an unreachable provider or an invalid address keeps the user on the page", async () => {
  api.on(BEGIN, problem(503, "sign-in.provider-unreachable", "Company login cannot be reached. Try again later."));
  const { user } = showSignIn();
  const button = await screen.findByRole("button", { name: "Sign in with Company login" });
  await user.click(button);
  expect(await screen.findByText("Company login cannot be reached. Try again later.")).toBeTruthy();
  api.on(BEGIN, { json: { url: "javascript:alert(1)" } });
  await user.click(screen.getByRole("button", { name: "Sign in with Company login" }));
  expect(await screen.findByText("The provider's address is not usable.")).toBeTruthy();
  expect(left).toEqual([]);
});

test("the callback finishes the sign-in once and redirects to the remembered page", async () => {
  showCallback();
  expect((await screen.findByTestId("address")).textContent).toBe("/vault?search=db");
  expect(api.requestsTo(FINISH).map(({ body }) => body)).toEqual([{ query: "code=the-code&state=the-state" }]);
  expect(currentSession().status).toBe("signed-in");
});

test("open redirect: a target outside the app is ignored", async () => {
  api.on(FINISH, {
    json: { sign_in: { token: testToken() }, return_to: "//evil.example", remember_me: false, proved_until: null },
  });
  showCallback();
  expect((await screen.findByTestId("address")).textContent).toBe("/");
});

test("a refused sign-in shows the reason and a way back; a callback without a response sends no request", async () => {
  api.on(FINISH, problem(403, "sign-in.no-group", "None of your groups at Company login can sign in to Strongroom."));
  const { unmount } = showCallback();
  expect(await screen.findByText(/None of your groups at Company login can sign in/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Back to Sign-In" })).toBeTruthy();
  expect(currentSession().status).toBe("signed-out");
  unmount();
  showCallback("");
  expect(await screen.findByText(/No sign-in is in progress/)).toBeTruthy();
  expect(api.requestsTo(FINISH)).toHaveLength(1);
});

test("after a sign-out, the provider's own sign-out is offered, and the next sign-in asks the user again", async () => {
  endSession("person", { id: ID, name: "Company login" });
  const { user } = showSignIn();
  await user.click(screen.getByRole("button", { name: "Sign Out of Company login Too" }));
  await waitFor(() => expect(left).toEqual(["https://login.corp.example/logout?client_id=x"]));
  await user.click(await screen.findByRole("button", { name: "Sign in with Company login" }));
  await waitFor(() => expect(left).toHaveLength(2));
  expect(api.requestsTo(BEGIN)[0]?.body).toMatchObject({ authenticate: true });
});

test("a provider without a sign-out page is reported", async () => {
  api.on(LEAVE, { json: { url: null } });
  endSession("person", { id: ID, name: "Company login" });
  const { user } = showSignIn();
  await user.click(screen.getByRole("button", { name: "Sign Out of Company login Too" }));
  expect(await screen.findByText(/does not support sign-out from other systems/)).toBeTruthy();
  expect(left).toEqual([]);
});

test("after a sign-out, the page offers to authenticate again when the provider did not ask the user", async () => {
  api.on(FINISH, problem(403, "sign-in.authenticate-again", "Please sign in to Company login again to continue."));
  const { user } = showCallback();
  await user.click(await screen.findByRole("button", { name: "Sign In Again" }));
  await waitFor(() => expect(left).toEqual(["https://login.corp.example/authorize?state=x"]));
  expect(api.requestsTo(BEGIN)[0]?.body).toMatchObject({ authenticate: true });
});

test("returning from a step-up notifies the other windows and starts no session", async () => {
  const close = vi.spyOn(globalThis.window, "close").mockImplementation(() => undefined);
  const proved = new Promise<void>((resolve) => {
    const stop = onProof(() => {
      stop();
      resolve();
    });
  });
  const done = { sign_in: {}, return_to: "/vault", remember_me: false, proved_until: "2026-11-23T12:00:00.000Z" };
  api.on(FINISH, { json: done });
  showCallback();
  expect(await screen.findByText("Your identity is confirmed.")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Continue Here" }).getAttribute("href")).toBe("/vault");
  await proved;
  expect(close).toHaveBeenCalled();
  expect(currentSession().status).toBe("signed-out");
});
