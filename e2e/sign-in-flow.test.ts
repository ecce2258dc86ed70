// Tests sign-in and sign-out: refusals, redirects, role requests, forgotten passwords.
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, firstAdmin } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, fillSignIn, hasNoHash, isAt, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const ENDED = "Your session has ended. Please sign in again.";
const MANAGER: Person = { email: "mara@example.com", password: "another long password", role: "manager" };

describe("signing in and out", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let admin: Person;
  let user: Person;
  let visit: Visit;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    user = await aUser(server, "uwe@example.com");
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  step("AUTH-17: empty fields cause a toast but no request", async () => {
    await page.goto("/auth");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.getByRole("button", { name: "Sign In" }).click();
    await seesToast(page, "Please fill in all fields");
    await fillSignIn(page, { email: user.email, password: "" });
    await page.getByRole("button", { name: "Sign In" }).click();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(
      requests.filter((request) => request.startsWith("POST")),
      [],
    );
  });

  step("AUTH-08: a button reveals the password", async () => {
    const field = page.getByPlaceholder("Enter your password");
    await field.fill("what I typed");
    await becomes(() => field.getAttribute("type"), "password");
    await field.locator("xpath=following::button[1]").click();
    await becomes(() => field.getAttribute("type"), "text");
  });

  step('AUTH-41: a wrong password and an unknown address both cause "Invalid credentials"', async () => {
    for (const email of [user.email, "nobody@example.com"]) {
      await page.reload();
      await fillSignIn(page, { email, password: "not the password" });
      await page.getByRole("button", { name: "Sign In" }).click();
      await seesToast(page, "Invalid credentials");
      await isAt(page, "/auth");
    }
  });

  step("SHELL-02, SHELL-03, OPEN-06: a visitor is redirected to sign-in, then to the requested page", async () => {
    await page.goto("/loading-demo");
    await page.goto("/vault?search=orders");
    await isAt(page, "/auth");
    await page.goBack();
    await isAt(page, "/loading-demo");
    await page.goForward();
    await isAt(page, "/auth");
    await page.goto("/vault?search=orders");
    await isAt(page, "/auth");
    await fillSignIn(page, user);
    await page.getByRole("button", { name: "Sign In" }).click();
    await isAt(page, "/vault?search=orders");
  });

  step("AUTH-14, OPEN-04, OPEN-05: every sign-in page redirects signed-in users", async () => {
    for (const path of ["/auth", "/login", "/signup", "/signup-new"]) {
      await page.goto(path);
      await isAt(page, "/");
    }
  });

  step(
    "OPEN-08: without Keep me signed in, a new tab continues the session, and signing out ends it in both",
    async () => {
      const ofThisTab = { local: [], session: ["strongroom.auth", "strongroom.token"] };
      await becomes(() => storedKeys(page), ofThisTab);
      const opened = visit.context.waitForEvent("page");
      await page.getByRole("link", { name: "Credential Vault" }).click({ modifiers: ["Control"] });
      const other = await opened;
      await seesHeading(other, "Credential Vault");
      await becomes(() => storedKeys(other), ofThisTab);
      await other.getByRole("button", { name: "Sign Out" }).click();
      await isAt(page, "/login");
      await other.goto("/vault");
      await isAt(other, "/auth");
      await other.close();
    },
  );

  step("OPEN-08: a session without Keep me signed in ends when its tabs are closed", async () => {
    const tab = await visit.context.newPage();
    await signIn(tab, user, "/vault");
    await tab.close();
    await page.goto("/vault");
    await page.getByRole("button", { name: "Sign In" }).waitFor();
    await isAt(page, "/auth");
    await page.goto("/login");
  });

  step("AUTH-09, AUTH-26, AUTH-27: with Keep me signed in, every tab shares the session", async () => {
    await fillSignIn(page, user);
    await page.getByRole("checkbox", { name: "Keep me signed in" }).check();
    await page.getByRole("button", { name: "Sign In" }).click();
    await isAt(page, "/");
    await becomes(() => storedKeys(page), { local: ["strongroom.auth", "strongroom.token"], session: [] });
    const other = await visit.context.newPage();
    await other.goto("/vault");
    await seesHeading(other, "Credential Vault");
    await page.getByRole("button", { name: "Sign Out" }).click();
    await isAt(page, "/login");
    // The other tab is updated without a reload.
    await isAt(other, "/login");
    await becomes(() => storedKeys(other), { local: [], session: [] });
    await other.close();
  });

  step("SIGNUP-10, SIGNUP-11, OPEN-17: the page explains that a role chosen at sign-up is a request", async () => {
    await page.getByRole("link", { name: "Create Account" }).click();
    await isAt(page, "/signup");
    await seesHeading(page, "Get Started");
    await page.getByRole("radio", { name: "User", checked: true }).waitFor();
    for (const text of [
      "Standard access to credential management",
      "Intermediate access with team oversight capabilities",
      "Full system access and administrative privileges",
    ]) {
      await page.getByText(text, { exact: true }).waitFor();
    }
    await inspectScreen(page, "sign-up");
    await page.getByRole("radio", { name: "Manager" }).check();
    await page.getByText("An administrator must approve this role. Until then, you have the User role.").waitFor();
    await fillSignUp(page, MANAGER);
    await page.getByRole("button", { name: "Create a new account" }).click();
    await seesToast(page, "Account created successfully! Please sign in with your new credentials.");
    await isAt(page, "/login");
    await signIn(page, MANAGER);
    await page.getByRole("banner").getByText("User", { exact: true }).waitFor();
  });

  step("SIGNUP-18: sign-up reports that the address already has an account", async () => {
    const { page: another, context } = await visitor(browser, server.url);
    await another.goto("/signup-new");
    await fillSignUp(another, MANAGER);
    await another.getByRole("button", { name: "Create a new account" }).click();
    await seesToast(another, "An account with this email already exists. Please try signing in instead.");
    await context.close();
  });

  step("OPEN-18: approving a role ends the session, and the user's next session has the role", async () => {
    const { page: console, context } = await visitor(browser, server.url);
    await signIn(console, admin, "/admin");
    await console.getByRole("tab", { name: "Sign-ups" }).click();
    await seesHeading(console, "Role Requests");
    await console.getByRole("button", { name: "Approve mara" }).waitFor();
    await inspectScreen(console, "admin-console");
    await console.getByRole("button", { name: "Approve mara" }).click();
    const dialog = dialogOf(console, "Approve Manager for mara");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await seesToast(console, "mara is now Manager");
    await console.getByText("No role requests", { exact: true }).waitFor();
    await context.close();

    await isAt(page, "/auth");
    await page.getByText(ENDED, { exact: true }).waitFor();
    await fillSignIn(page, MANAGER);
    await page.getByRole("button", { name: "Sign In" }).click();
    await page.getByRole("banner").getByText("Manager", { exact: true }).waitFor();
  });

  step("when a session has ended, the user is redirected to sign-in, and back to the page afterwards", async () => {
    await page.goto("/settings");
    await seesHeading(page, "Settings");
    const { page: console, context } = await visitor(browser, server.url);
    await signIn(console, admin, "/admin");
    await console.getByRole("button", { name: "Actions for mara" }).click();
    await console.getByRole("menuitem", { name: "End Sessions" }).click();
    await dialogOf(console, "End the Sessions of mara").getByRole("button", { name: "End Sessions" }).click();
    await seesToast(console, "The sessions of mara have ended");
    await context.close();
    await isAt(page, "/auth");
    await page.getByText(ENDED, { exact: true }).waitFor();
    await inspectScreen(page, "sign-in-ended");
    await fillSignIn(page, MANAGER);
    await page.getByRole("button", { name: "Sign In" }).click();
    await isAt(page, "/settings");
  });

  step("OPEN-09, OPEN-48: without a mail server, an administrator passes the reset link on", async () => {
    await page.getByRole("button", { name: "Sign Out" }).click();
    await isAt(page, "/login");
    await page.getByRole("button", { name: "Reset password" }).click();
    const asking = dialogOf(page, "Reset password");
    await asking
      .getByText("This installation cannot send email. An administrator sees your request and gives you the link.")
      .waitFor();
    await asking.getByLabel("Email address").fill(user.email);
    await inspectScreen(page, "reset-request");
    await asking.getByRole("button", { name: "Send Reset Link" }).click();
    await seesToast(page, "Password reset link sent to your email");

    const { page: console, context } = await visitor(browser, server.url);
    await signIn(console, admin, "/admin?tab=resets");
    await console.getByRole("button", { name: "Create reset link for uwe" }).click();
    const handOver = dialogOf(console, "Reset Link");
    const link = await handOver.getByText(/\/reset-password#token=/).innerText();
    await inspectScreen(console, "reset-link");
    await handOver.getByRole("button", { name: "Done" }).click();
    await context.close();

    await page.goto(link);
    await seesHeading(page, "Choose a New Password");
    await hasNoHash(page);
    await inspectScreen(page, "reset-password");
    await chooseNewPassword(page, "a brand new password");
    await isAt(page, "/login");
    await fillSignIn(page, user);
    await page.getByRole("button", { name: "Sign In" }).click();
    await seesToast(page, "Invalid credentials");
    user = { ...user, password: "a brand new password" };
    await signIn(page, user);
    await page.getByRole("button", { name: "Sign Out" }).click();
    await isAt(page, "/login");
  });

  step("the page for a new password reports an incomplete reset link", async () => {
    await page.goto("/reset-password");
    await page.getByText("The reset link is incomplete. Open the complete link.", { exact: true }).waitFor();
    await inspectScreen(page, "reset-password-incomplete");
  });

  step("OPEN-17: an administrator can close sign-up", async () => {
    const { page: console, context } = await visitor(browser, server.url);
    await signIn(console, admin, "/admin?tab=policy");
    // The preview appears before the change is saved.
    await console.getByRole("checkbox", { name: "Admin", exact: true }).check();
    await console.getByRole("button", { name: "What would change?" }).click();
    await console.getByText("You would be signed out as soon as you save.", { exact: true }).waitFor();
    await console.getByRole("list", { name: /^1 person would need a second factor and has none/ }).waitFor();
    await inspectScreen(console, "sign-in-policy-preview");
    await console.getByRole("checkbox", { name: "Admin", exact: true }).uncheck();
    await console.getByRole("radio", { name: "Invitation only" }).check();
    await console.getByRole("button", { name: "Save Policy" }).click();
    await seesToast(console, "Sign-in policy saved");
    await context.close();
    await page.goto("/signup");
    await page.getByText("Sign-up is closed. Ask an administrator for an account.").waitFor();
    await page.getByRole("button", { name: "Create a new account", disabled: true }).waitFor();
    await inspectScreen(page, "sign-up-closed");
    assertNoErrors(visit);
  });
});

async function storedKeys(page: Page): Promise<{ local: string[]; session: string[] }> {
  const [local, session] = await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]);
  const ofSession = (keys: string[] = []) => keys.filter((key) => /token$|auth$/.test(key)).toSorted();
  return { local: ofSession(local), session: ofSession(session) };
}

async function fillSignUp(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel("Your email").fill(email);
  await page.getByLabel("Create new password").fill(password);
  await page.getByLabel("Confirm password").fill(password);
}

async function chooseNewPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Confirm password").fill(password);
  await page.getByRole("button", { name: "Change Password" }).click();
  await seesToast(page, "Password changed. Sign in with your new password.");
}
