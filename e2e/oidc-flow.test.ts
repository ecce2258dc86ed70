// Tests OpenID Connect sign-in in a real browser: setup, use, and resistance to login CSRF.
import { needs } from "@strongroom/connectors/testing";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startOpenidProvider,
} from "@strongroom/server/features/identity-providers/testing/openid-provider.ts";
import type { OpenidProvider } from "@strongroom/server/features/identity-providers/testing/openid-provider.ts";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { firstAdmin } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, isAt, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

describe("signing in through OpenID Connect", needs(noBrowser || null), () => {
  let server: RunningServer;
  let provider: OpenidProvider;
  let browser: Browser;
  let admin: Person;
  let visit: Visit;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, provider] = await Promise.all([startServer(), startOpenidProvider({ host: "localhost", asks: true })]);
    admin = await firstAdmin(server);
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), provider?.close()]);
  });

  step("an administrator adds a provider and tests it", async () => {
    await signIn(page, admin, "/admin?tab=providers");
    await page.getByText("No sign-in providers").waitFor();
    await page.getByRole("button", { name: "Add Provider" }).click();
    await page.getByRole("menuitem", { name: "OpenID Connect" }).click();
    const form = dialogOf(page, "Add OpenID Connect");
    await form.getByLabel("Name", { exact: false }).first().fill("Company login");
    await form.getByLabel("Issuer").fill(provider.issuer);
    await form.getByLabel("Client ID").fill(CLIENT_ID);
    await form.getByRole("textbox", { name: "Client secret" }).fill(CLIENT_SECRET);
    await form.getByRole("switch", { name: "Create users automatically" }).click();
    await form.getByRole("switch", { name: "Link existing users by email" }).click();
    await form.getByRole("button", { name: "Add a Group" }).click();
    await form.getByLabel("Group 1", { exact: true }).fill("operators");
    await inspectScreen(page, "sign-in-provider-form");
    await form.getByRole("switch", { name: "Link existing users by email" }).click();
    await form.getByRole("button", { name: "Add Provider" }).click();
    await seesToast(page, "Provider added. Test it before people use it.");
    const card = page.getByRole("article", { name: "Company login" });
    const redirectUri = await card.getByText(`${server.url}/auth/callback/`).innerText();
    provider.serve([redirectUri]);
    await card.getByRole("button", { name: "Test Company login" }).click();
    const trial = dialogOf(page, "Test Company login");
    await trial.getByRole("button", { name: "Test", exact: true }).click();
    await trial.getByText("The provider accepts the client.").waitFor();
    await trial.getByRole("button", { name: "Done" }).click();
    await inspectScreen(page, "sign-in-providers");
  });

  step("a visitor logs in at the provider and returns to the requested page, without a code in the URL", async () => {
    provider.person = {
      subject: "subject-1",
      claims: { email: "olga@example.com", email_verified: true, name: "Olga", groups: ["operators"] },
    };
    const other = await visitor(browser, server.url);
    visit = other;
    page = other.page;
    await page.goto("/vault?search=orders");
    await isAt(page, "/auth");
    await page.getByRole("button", { name: "Sign in with Company login" }).waitFor();
    await inspectScreen(page, "sign-in-with-provider");
    await page.getByRole("button", { name: "Sign in with Company login" }).click();
    await page.getByLabel("Name").fill("olga");
    const seen: string[] = [];
    page.on("framenavigated", (frame) => seen.push(frame.url()));
    await page.getByRole("button", { name: "Log in" }).click();
    await seesToast(page, "Welcome back!");
    await isAt(page, "/vault?search=orders");
    const token = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.match(token, /eyJ/);
    assert.ok(
      seen.every((url) => !url.includes("eyJ")),
      "no token was in an address",
    );
    await page.goBack();
    assert.ok(!page.url().includes("code="), "the code is not in the history");
    assertNoErrors(other);
  });

  step("login CSRF: a provider response from a different browser does not sign this browser in", async () => {
    const attacker = await visitor(browser, server.url);
    await attacker.page.goto("/auth");
    await attacker.page.getByRole("button", { name: "Sign in with Company login" }).click();
    await attacker.page.getByLabel("Name").fill("mallory");
    let answer = "";
    attacker.page.on("request", (request) => {
      if (request.url().includes("/auth/callback/")) answer = request.url();
    });
    // The attacker's page must not use up the provider's response.
    await attacker.page.route("**/finish", (route) => route.abort());
    await attacker.page.getByRole("button", { name: "Log in" }).click();
    await attacker.page.getByRole("link", { name: "Back to Sign-In" }).waitFor();
    assert.match(answer, /code=/);
    const victim = await visitor(browser, server.url);
    page = victim.page;
    await page.goto(answer);
    await page.getByText("This sign-in is no longer valid in this browser. Start again.").waitFor();
    await inspectScreen(page, "sign-in-provider-failed");
    await page.getByRole("link", { name: "Back to Sign-In" }).click();
    await isAt(page, "/auth");
  });
});
