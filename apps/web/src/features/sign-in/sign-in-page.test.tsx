import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SignedOutOnly } from "#app/guards.tsx";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest, signOutForTest, testToken } from "#app/testing/sign-in.ts";
import { currentSession, endSession } from "#shared/session/session-store.ts";
import SignInPage from "./sign-in-page.tsx";

let api: TestApi;
beforeEach(async () => {
  signOutForTest();
  api = await startApi({
    "GET /api/v1/auth/entrance": { json: { needs_setup: false, sign_up_open: true, mail_configured: true } },
    "POST /api/v1/auth/login": { json: { token: testToken() } },
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

const show = (state?: unknown) =>
  renderScreen(null, {
    at: "/auth",
    state,
    routes: [{ element: <SignedOutOnly />, children: [{ path: "/auth", element: <SignInPage /> }] }],
  });

async function signIn(user: ReturnType<typeof show>["user"], email = "dana@example.test", password = "correct horse") {
  if (email !== "") await user.type(screen.getByPlaceholderText("Enter your email address"), email);
  if (password !== "") await user.type(screen.getByPlaceholderText("Enter your password"), password);
  await user.click(screen.getByRole("button", { name: "Sign In" }));
}

test("AUTH-05 to AUTH-10: shows the title, fields, checkbox, link and buttons", async () => {
  const { user } = show();
  expect(screen.getByRole("heading", { level: 1 }).textContent).not.toBe("");
  expect(screen.getByPlaceholderText("Enter your email address")).toHaveProperty("type", "email");
  const password = screen.getByPlaceholderText("Enter your password");
  expect(password).toHaveProperty("type", "password");
  await user.click(screen.getByRole("button", { name: "Show or hide the password" }));
  expect(password).toHaveProperty("type", "text");
  expect(screen.getByRole("checkbox", { name: "Keep me signed in" })).toHaveProperty("name", "rememberMe");
  expect(screen.getByRole("button", { name: "Reset password" })).toBeTruthy();
  for (const claim of ["Zero-trust architecture", "Encryption at rest and in transit", "Real-time monitoring"]) {
    expect(screen.getByRole("heading", { name: claim })).toBeTruthy();
  }
});

test("AUTH-11: Create Account goes to /signup", async () => {
  const { user } = show();
  await user.click(screen.getByRole("link", { name: "Create Account" }));
  expect(screen.getByTestId("address").textContent).toBe("/signup");
});

test("AUTH-12, AUTH-13: shows three testimonials marked as samples", () => {
  show();
  const section = screen.getByRole("region", { name: "Sample testimonials" });
  expect(section.textContent).toContain("Illustrative samples, not real customers");
  const cards = within(section).getAllByRole("figure");
  expect(cards).toHaveLength(3);
  for (const card of cards) expect(card.textContent).toMatch(/Sample: .*Sample \w+@sample-/);
});

test.each([
  ["", "x"],
  ["dana@example.test", ""],
  ["", ""],
])(
  'AUTH-17: with email %j and password %j shows the toast "Please fill in all fields" and sends no request',
  async (email, password) => {
    const { user } = show();
    await signIn(user, email, password);
    expect(await screen.findByText("Please fill in all fields")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/auth/login")).toHaveLength(0);
  },
);

test("AUTH-18: no length or format rule is enforced", async () => {
  const { user } = show();
  await signIn(user, "not-an-email", "x");
  await waitFor(() => expect(api.requestsTo("POST /api/v1/auth/login")).toHaveLength(1));
});

test('API-01, AUTH-20, AUTH-21: a sign-in shows "Welcome back!" and redirects to /', async () => {
  const { user } = show();
  await user.click(screen.getByRole("checkbox", { name: "Keep me signed in" }));
  await signIn(user);
  expect(await screen.findByText("Welcome back!")).toBeTruthy();
  expect((await screen.findByTestId("address")).textContent).toBe("/");
  const [request] = api.requestsTo("POST /api/v1/auth/login");
  expect(request?.headers.authorization).toBeUndefined();
  expect(request?.body).toEqual({ email: "dana@example.test", password: "correct horse", remember_me: true });
  expect(currentSession().status).toBe("signed-in");
});

test("OPEN-06, OPEN-07: a sign-in returns to the remembered page", async () => {
  const { user } = show({ from: { pathname: "/vault", search: "?search=db", hash: "" } });
  await signIn(user);
  expect((await screen.findByTestId("address")).textContent).toBe("/vault?search=db");
});

test("OPEN-06: ignores a remembered page outside the app", async () => {
  const { user } = show({ from: { pathname: "//elsewhere.example/x" } });
  await signIn(user);
  expect((await screen.findByTestId("address")).textContent).toBe("/");
});

test("AUTH-14: redirects a signed-in visitor to /", () => {
  signInForTest();
  show();
  expect(screen.getByTestId("address").textContent).toBe("/");
});

test('AUTH-41: a refused sign-in shows "Invalid credentials"', async () => {
  api.on("POST /api/v1/auth/login", problem(401, "sign-in.refused", "Email or password is wrong"));
  const { user } = show();
  await signIn(user);
  expect(await screen.findByText("Invalid credentials")).toBeTruthy();
});

test("OPEN-10: a disabled account sees a permanent notice", async () => {
  api.on(
    "POST /api/v1/auth/login",
    problem(403, "account.disabled", "This account is disabled. Please ask an administrator."),
  );
  const { user } = show();
  await signIn(user);
  expect(await screen.findByText("This account is disabled. Please ask an administrator.")).toBeTruthy();
});

test('AUTH-19: a token that cannot be decoded shows "Invalid token received"', async () => {
  api.on("POST /api/v1/auth/login", { json: { token: "garbage" } });
  const { user } = show();
  await signIn(user);
  expect(await screen.findByText("Invalid token received")).toBeTruthy();
  expect(currentSession().status).toBe("signed-out");
});

test("OPEN-72: a user signed out by the server sees the reason", () => {
  signInForTest();
  endSession("server");
  show();
  expect(screen.getByText("Your session has ended. Please sign in again.")).toBeTruthy();
});

test("the page refers to the setup link until the first administrator exists", async () => {
  api.on("GET /api/v1/auth/entrance", { json: { needs_setup: true, sign_up_open: true, mail_configured: false } });
  show();
  expect(await screen.findByText(/Open the setup link/)).toBeTruthy();
});

test('AUTH-15, AUTH-16, AUTH-48, OPEN-09: "Reset password" asks for the email, sends the request and shows the toast', async () => {
  api.on("POST /api/v1/auth/reset-password", { json: { message: "ok" } });
  const { user } = show();
  await user.type(screen.getByPlaceholderText("Enter your email address"), "dana@example.test");
  await user.click(screen.getByRole("button", { name: "Reset password" }));
  const dialog = await screen.findByRole("dialog", { name: "Reset password" });
  expect(within(dialog).getByLabelText("Email address")).toHaveProperty("value", "dana@example.test");
  await user.click(within(dialog).getByRole("button", { name: "Send Reset Link" }));
  expect(await screen.findByText("Password reset link sent to your email")).toBeTruthy();
  expect(api.requestsTo("POST /api/v1/auth/reset-password")[0]?.body).toEqual({ email: "dana@example.test" });
});

test.each([
  ["the server's message", problem(500, "internal", "The mail server refused"), "The mail server refused"],
  ["its own text when the answer has none", { status: 500, text: "" }, "Failed to send reset email"],
])("AUTH-47: a failed reset shows %s", async (_, answer, text) => {
  api.on("POST /api/v1/auth/reset-password", answer);
  const { user } = show();
  await user.click(screen.getByRole("button", { name: "Reset password" }));
  const dialog = await screen.findByRole("dialog", { name: "Reset password" });
  await user.type(within(dialog).getByLabelText("Email address"), "dana@example.test");
  await user.click(within(dialog).getByRole("button", { name: "Send Reset Link" }));
  expect(await screen.findByText(text)).toBeTruthy();
});

test("OPEN-09: without a mail server the dialog says who hands over the link", async () => {
  api.on("GET /api/v1/auth/entrance", { json: { needs_setup: false, sign_up_open: true, mail_configured: false } });
  const { user } = show();
  await user.click(screen.getByRole("button", { name: "Reset password" }));
  expect(await screen.findByText(/An administrator sees your request/)).toBeTruthy();
});
