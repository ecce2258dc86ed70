// Tests a forgotten password with a mail server: the link arrives by email and works once.
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { smtpSink } from "../apps/server/src/features/mail/testing/smtp-sink.ts";
import type { SmtpSink } from "../apps/server/src/features/mail/testing/smtp-sink.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { aUser, firstAdmin } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, isAt, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const SENT = "Password reset link sent to your email";

describe("a forgotten password, with a mail server", needs(noBrowser || null), () => {
  let sink: SmtpSink;
  let server: RunningServer;
  let browser: Browser;
  let user: Person;
  let visit: Visit;
  let page: Page;
  let link: string;
  const step = steps(() => page);

  before(async () => {
    sink = await smtpSink();
    browser = await launchBrowser();
    server = await startServer({ SMTP_URL: sink.url });
    await firstAdmin(server);
    user = await aUser(server, "uwe@example.com");
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    await sink?.close();
  });

  async function askFor(email: string): Promise<void> {
    await page.goto("/login");
    await page.getByRole("button", { name: "Reset password" }).click();
    const dialog = dialogOf(page, "Reset password");
    await dialog.getByLabel("Email address").fill(email);
    await dialog.getByRole("button", { name: "Send Reset Link" }).click();
    await seesToast(page, SENT);
    await dialog.waitFor({ state: "detached" });
  }

  step("OPEN-09, AUTH-15: an unknown address gets the same answer, but no mail", async () => {
    const next = sink.next();
    await askFor("nobody@example.com");
    await askFor(user.email);
    const mail = await next;
    assert.deepEqual(mail.to, [user.email], "the first mail is the known person's");
    link = /http\S+\/reset-password#token=\S+/.exec(mail.text)?.[0] ?? "";
    assert.notEqual(link, "", mail.text);
    assert.equal(sink.count, 1);
  });

  step("OPEN-09: the emailed link sets a new password", async () => {
    await page.goto(link);
    await seesHeading(page, "Choose a New Password");
    await page.getByLabel("New password", { exact: true }).fill("a brand new password");
    await page.getByLabel("Confirm password").fill("a brand new password");
    await page.getByRole("button", { name: "Change Password" }).click();
    await seesToast(page, "Password changed. Sign in with your new password.");
    await isAt(page, "/login");
    await signIn(page, { ...user, password: "a brand new password" });
    await page.getByRole("button", { name: "Sign Out" }).click();
    await isAt(page, "/login");
  });

  step("OPEN-09: the link works once", async () => {
    await page.goto(link);
    await page.getByLabel("New password", { exact: true }).fill("yet another password");
    await page.getByLabel("Confirm password").fill("yet another password");
    await page.getByRole("button", { name: "Change Password" }).click();
    await page.getByRole("alert").filter({ hasText: /link/i }).waitFor();
    await signIn(page, { ...user, password: "a brand new password" });
    assertNoErrors(visit);
  });
});
