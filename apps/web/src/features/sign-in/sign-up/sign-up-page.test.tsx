import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type ApiAnswer, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signOutForTest, testToken } from "#app/testing/sign-in.ts";
import { currentSession } from "#shared/session/session-store.ts";
import SignUpPage, { REDIRECT_AFTER_MS, EMAIL_TAKEN, MAIL_LIMITED, SIGNED_UP } from "./sign-up-page.tsx";

const entrance = (more = {}): ApiAnswer => ({
  json: { needs_setup: false, sign_up_open: true, mail_configured: true, ...more },
});
let api: TestApi;
beforeEach(async () => {
  api = await startApi({
    "GET /api/v1/auth/entrance": entrance(),
    "POST /api/v1/auth/register": { status: 201, json: { message: "Created", code: "account.created" } },
  });
});
afterEach(() => api.close());

const show = (at = "/signup") => renderScreen(<SignUpPage />, { at });
const registered = () => api.requestsTo("POST /api/v1/auth/register");

async function fill(
  user: ReturnType<typeof show>["user"],
  email = "Mia@Example.test",
  password = "long enough",
  confirmation = password,
) {
  if (email !== "") await user.type(screen.getByLabelText("Your email"), email);
  await user.type(screen.getByLabelText("Create new password"), password);
  await user.type(screen.getByLabelText("Confirm password"), confirmation);
  await user.click(screen.getByRole("button", { name: "Create a new account" }));
}

test("SIGNUP-02 to SIGNUP-05: shows heading, fields, button and the link Login to /login", async () => {
  const { user } = show();
  expect(screen.getByRole("heading", { name: "Get Started" })).toBeTruthy();
  expect(screen.getByRole("radiogroup", { name: "Select your role" })).toBeTruthy();
  await user.click(screen.getByRole("link", { name: "Login" }));
  expect(screen.getByTestId("address").textContent).toBe("/login");
});

describe("validation of the form", () => {
  test.each([
    ["SIGNUP-07, OPEN-83", "not-an-email", "long enough", "long enough", "Please enter a valid email address."],
    ["SIGNUP-08", "mia@example.test", "short", "short", "Password must be at least 8 characters."],
    ["SIGNUP-09", "mia@example.test", "long enough", "long enouhg", "Passwords do not match."],
  ])("%s", async (_, email, password, confirmation, message) => {
    const { user } = show();
    await fill(user, email, password, confirmation);
    expect(screen.getByText(message)).toBeTruthy();
    expect(registered()).toHaveLength(0);
  });
});

test("SIGNUP-10, SIGNUP-11: offers User, Manager and Admin with their descriptions, User first", () => {
  show();
  expect(screen.getByRole("radio", { name: "User" })).toHaveProperty("checked", true);
  expect(screen.getByRole("radio", { name: "Manager" })).toBeTruthy();
  expect(screen.getByRole("radio", { name: "Admin" })).toBeTruthy();
  for (const text of [
    "Standard access to credential management",
    "Intermediate access with team oversight capabilities",
    "Full system access and administrative privileges",
  ]) {
    expect(screen.getByText(text)).toBeTruthy();
  }
});

test("SIGNUP-13, SIGNUP-14, OPEN-12: a sign-up sends email, password and role, shows the toast and goes to /login", async () => {
  const { user } = show();
  await user.click(screen.getByRole("radio", { name: "Manager" }));
  await fill(user);
  expect(await screen.findByText(SIGNED_UP)).toBeTruthy();
  expect((await screen.findByTestId("address")).textContent).toBe("/login");
  expect(registered()[0]?.body).toEqual({ email: "Mia@Example.test", password: "long enough", role: "manager" });
});

test("OPEN-18: the page says that an administrator has to approve a requested higher role", async () => {
  api.on("POST /api/v1/auth/register", { status: 201, json: { message: "x", code: "account.created-role-requested" } });
  const { user } = show();
  await fill(user);
  expect(await screen.findByText(/An administrator must approve the role you requested/)).toBeTruthy();
});

test("SIGNUP-18: an email that is taken stays on the page", async () => {
  api.on("POST /api/v1/auth/register", { status: 409, json: { message: "An account with this email already exists" } });
  const { user } = show();
  await fill(user);
  expect(await screen.findByText(EMAIL_TAKEN)).toBeTruthy();
  expect(screen.getByRole("heading", { name: "Get Started" })).toBeTruthy();
});

test("AUTH-44, SIGNUP-19, OPEN-14: a refusal shows the server's message, or the specified text, under Registration failed", async () => {
  api.on("POST /api/v1/auth/register", problem(403, "sign-up.closed", "Sign-up is closed"));
  const { user } = show();
  await fill(user);
  const refused = within(await screen.findByRole("alert"));
  expect(refused.getByText("Registration failed")).toBeTruthy();
  expect(refused.getByText("Sign-up is closed")).toBeTruthy();
});

test("SIGNUP-15, SIGNUP-17, AUTH-45: an email failure is shown, logged as a warning, and redirects to /login after 2 seconds", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  api.on("POST /api/v1/auth/register", { status: 500, json: { message: "email rate limit exceeded" } });
  const { user } = show();
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  try {
    const withTimers = { ...user };
    await fill(withTimers);
    expect(await screen.findByText(MAIL_LIMITED)).toBeTruthy();
    expect(warn).toHaveBeenCalledWith(MAIL_LIMITED);
    expect(screen.queryByTestId("address")).toBeNull();
    act(() => void vi.advanceTimersByTime(REDIRECT_AFTER_MS));
    expect((await screen.findByTestId("address")).textContent).toBe("/login");
    act(() => void vi.advanceTimersByTime(3000));
    expect(screen.queryByText(MAIL_LIMITED)).not.toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

describe("the setup link", () => {
  beforeEach(() => api.on("GET /api/v1/auth/entrance", entrance({ needs_setup: true })));

  test("removes the token from the address bar and sends it with the registration", async () => {
    const { user, router } = show("/signup#setup_token=one-time-token");
    await waitFor(() => expect(router.state.location.hash).toBe(""));
    expect(screen.getByText(/It becomes the administrator/)).toBeTruthy();
    expect(screen.queryByRole("radio", { name: "Manager" })).toBeNull();
    expect(screen.getByRole("radio", { name: "Anyone, after activation" }).hasAttribute("checked")).toBe(true);
    await fill(user);
    await waitFor(() =>
      expect(registered()[0]?.body).toEqual({
        email: "Mia@Example.test",
        password: "long enough",
        role: "admin",
        setup_token: "one-time-token",
        sign_up: { sign_up: "activation", sign_up_domains: [] },
      }),
    );
  });

  test("signs the first administrator in with the new credentials", async () => {
    signOutForTest();
    const json = { message: "Created", code: "account.created-as-admin" };
    api.on("POST /api/v1/auth/register", { status: 201, json });
    api.on("POST /api/v1/auth/login", { json: { token: testToken({ role: "admin" }) } });
    const { user } = show("/signup#setup_token=one-time-token");
    await fill(user);
    await waitFor(() => expect(currentSession().user?.role).toBe("admin"));
    expect(api.requestsTo("POST /api/v1/auth/login")[0]?.body).toMatchObject({
      email: "Mia@Example.test",
      password: "long enough",
    });
    expect(await screen.findByText(/Welcome to Strongroom/)).toBeTruthy();
    expect(screen.queryByText(SIGNED_UP)).toBeNull();
    signOutForTest();
  });

  test("a first administrator who cannot be signed in continues on the sign-in page", async () => {
    const json = { message: "Created", code: "account.created-as-admin" };
    api.on("POST /api/v1/auth/register", { status: 201, json });
    api.on("POST /api/v1/auth/login", problem(503, "server.busy", "Try again"));
    const { user } = show("/signup#setup_token=one-time-token");
    await fill(user);
    expect(await screen.findByText(SIGNED_UP)).toBeTruthy();
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/login"));
  });

  test("lets the first administrator choose which domains may sign up", async () => {
    const { user } = show("/signup#setup_token=one-time-token");
    await user.click(await screen.findByRole("radio", { name: /^These email domains/ }));
    await fill(user);
    expect(await screen.findByText("Please enter at least one domain.")).toBeTruthy();
    await user.type(screen.getByLabelText("Email domains"), "Corp.example, @lab.example");
    await user.click(screen.getByRole("button", { name: "Create a new account" }));
    await waitFor(() =>
      expect(registered()[0]?.body).toMatchObject({
        sign_up: { sign_up: "domains", sign_up_domains: ["corp.example", "lab.example"] },
      }),
    );
  });

  test("the user can type a missing setup token", async () => {
    const { user } = show();
    await user.type(await screen.findByLabelText("Setup token"), "typed-token");
    await fill(user);
    await waitFor(() => expect(registered()[0]?.body).toMatchObject({ setup_token: "typed-token" }));
  });

  test("shows the server's message for a wrong token", async () => {
    api.on("POST /api/v1/auth/register", problem(403, "setup.refused", "The setup token is not right."));
    const { user } = show("/signup#setup_token=wrong");
    await fill(user);
    expect(await screen.findByText("The setup token is not right.")).toBeTruthy();
  });

  test("the page says that the setup link has been used, and offers the ordinary sign-up", async () => {
    api.on("GET /api/v1/auth/entrance", entrance());
    const { user } = show("/signup#setup_token=old");
    expect(await screen.findByText(/the setup link no longer works/)).toBeTruthy();
    await fill(user);
    await waitFor(() => expect(registered()[0]?.body).not.toHaveProperty("setup_token"));
  });
});

test("OPEN-18: the page says that sign-up is closed, and disables the form's button", async () => {
  api.on("GET /api/v1/auth/entrance", entrance({ sign_up_open: false }));
  show();
  expect(await screen.findByText(/Sign-up is closed/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Create a new account" })).toHaveProperty("disabled", true);
});
