// Tests Access Control in a real browser: the access overview, previews, and a complete review.
import { addSafeMember, createAccount, createGroup, createSafe, listPlatforms } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, aUser, firstAdmin, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const SAFE = "Production servers";
const PLATFORM = "Linux";

describe("access control", { skip: noBrowser }, () => {
  let server: RunningServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let admin: Person;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    await settle(server, admin);
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  step("PLACE-02: the page lists users with a summary, and details of one user", async () => {
    await signIn(page, admin, "/access-control");
    await seesHeading(page, "Access Control");
    await page.getByText("Configure role-based access policies", { exact: true }).waitFor();
    const row = page.getByRole("table", { name: "People" }).getByRole("row").filter({ hasText: "ben@example.com" });
    await row.waitFor();
    await inspectScreen(page, "access-people");
    // Uses only the keyboard.
    await row.getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Member as User", { exact: true }).waitFor();
    await page.getByRole("button", { name: `Accounts in ${SAFE}` }).click();
    await page.getByText("web-01 root", { exact: true }).waitFor();
    await inspectScreen(page, "access-person");
  });

  step("a safe lists every user with access", async () => {
    await page.getByRole("tab", { name: "Resources" }).click();
    await page.getByRole("button", { name: `View access to ${SAFE}` }).waitFor();
    await inspectScreen(page, "access-things");
    await page.getByRole("button", { name: `View access to ${SAFE}` }).click();
    const dialog = dialogOf(page, `Access to ${SAFE}`);
    await dialog.getByText("ben@example.com").first().waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  step("a preview shows that platform approvals remove use and retrieval, without saving", async () => {
    await page.getByRole("tab", { name: "Change Preview" }).click();
    await page
      .getByRole("combobox", { name: "Change" })
      .or(page.getByRole("textbox", { name: "Change" }))
      .click();
    await page.getByRole("option", { name: "Change a platform's approvals" }).click();
    const platform = page
      .getByRole("combobox", { name: "Platform" })
      .or(page.getByRole("textbox", { name: "Platform" }));
    await platform.fill(PLATFORM);
    await page.getByRole("option", { name: PLATFORM, exact: true }).click();
    await page.getByLabel("Approvals at level 1").fill("1");
    await page.getByRole("button", { name: "What would change?" }).click();
    await page.getByText("1 person would lose access, on 1 account.", { exact: true }).waitFor();
    await inspectScreen(page, "access-change");
    const { platforms } = await ask(server.url, listPlatforms, {}, await tokenOf(server, admin));
    assert.equal(platforms.find(({ name }) => name === PLATFORM)?.approvals_level_1, 0);
  });

  step("an administrator starts, decides, closes and exports a review", async () => {
    await page.getByRole("tab", { name: "Reviews" }).click();
    await page.getByText("No reviews", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Start Review" }).click();
    const form = dialogOf(page, "Start Review");
    await form.getByLabel("Name").fill("Autumn review");
    await inspectScreen(page, "access-review-form");
    await form.getByRole("button", { name: "Start Review" }).click();
    const remove = page.getByRole("button", { name: `Remove ben in ${SAFE}` });
    await remove.waitFor();
    await inspectScreen(page, "access-review");
    await page.getByRole("checkbox", { name: `Select Operators in ${SAFE}` }).check();
    await page.getByRole("button", { name: "Confirm Selected" }).click();
    await seesToast(page, "Confirmed 1 membership");
    await page.getByText("Operators", { exact: true }).waitFor({ state: "detached" });
    await remove.click();
    const question = dialogOf(page, "Remove Membership");
    await question.getByLabel("Reason").fill("Left the team");
    await question.getByRole("button", { name: "Remove", exact: true }).click();
    await seesToast(page, `ben is no longer a member of "${SAFE}"`);
    // The administrator's own membership remains undecided, because reviewers cannot decide on their own.
    await page
      .getByText("Another reviewer decides this: you cannot review your own membership.", { exact: true })
      .waitFor();
    await page.getByRole("button", { name: "Close Review" }).click();
    const closing = dialogOf(page, "Close Review");
    await closing.getByText("1 undecided membership will be kept.").waitFor();
    await closing.getByRole("button", { name: "Close Review" }).click();
    await seesToast(page, "Review closed");
    await page.getByText("Left the team", { exact: false }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    assert.match((await download).suggestedFilename(), /^access-review-.*\.csv$/);
    assertNoErrors(visit);
  });
});

/** Creates a safe with an account on a separate platform. Ben and a group are members. */
async function settle(server: RunningServer, admin: Person): Promise<void> {
  const { url } = server;
  const token = await tokenOf(server, admin);
  const ben = await aUser(server, "ben@example.com");
  const { platforms } = await ask(url, listPlatforms, {}, token);
  const platform = platforms.find(({ name }) => name === PLATFORM)!;
  const safe = await ask(url, createSafe, { body: { name: SAFE, description: null } }, token);
  const account = {
    name: "web-01 root",
    system_type: "Linux",
    hostname: "web-01.example.test",
    username: "root",
    password: "a password for the test",
    platform_id: platform.id,
    safe_id: safe.id,
    connection_method: "SSH",
  } as const;
  await ask(url, createAccount, { body: account }, token);
  const params = { id: safe.id };
  const user_id = userIdOf(await tokenOf(server, ben));
  await ask(url, addSafeMember, { params, body: { user_id, role: "user" } }, token);
  const group = await ask(url, createGroup, { body: { name: "Operators" } }, token);
  await ask(url, addSafeMember, { params, body: { group_id: group.id, role: "auditor" } }, token);
}
