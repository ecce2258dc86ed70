// Tests live events with two browsers of one user: changes appear in the other browser, and other users do not see them.
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, firstAdmin } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import {
  addCredential,
  cardOf,
  chooseOn,
  dialogOf,
  fillCredential,
  seesHeading,
  seesToast,
  signIn,
} from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const NAME = "Orders database";
const unavailable = noBrowser === false ? postgresqlAvailable() : noBrowser;

describe("live events", needs(unavailable), () => {
  let server: RunningServer;
  let postgresql: PostgresqlServer;
  let browser: Browser;
  let user: Person;
  let other: Person;
  let one: Visit;
  let two: Visit;
  let theirs: Visit;
  let news: Page;
  const step = steps(() => two?.page);

  before(async () => {
    browser = await launchBrowser();
    [server, postgresql] = await Promise.all([startServer(), startPostgresql()]);
    await firstAdmin(server);
    user = await aUser(server, "uwe@example.com");
    other = await aUser(server, "olga@example.com");
    one = await visitor(browser, server.url);
    two = await visitor(browser, server.url);
    theirs = await visitor(browser, server.url);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), postgresql?.stop()]);
  });

  /** A reload would lose this marker. */
  const mark = (page: Page) => page.evaluate(() => Object.assign(window, { isStillTheSamePage: true }));
  const isMarked = (page: Page) => page.evaluate(() => "isStillTheSamePage" in window);

  step("OPEN-30: a verification appears in the user's other browser without a reload", async () => {
    await signIn(one.page, user, "/vault");
    const role = await postgresql.addRole();
    await addCredential(one.page, {
      name: NAME,
      type: "PostgreSQL",
      username: role.username,
      host: postgresql.host,
      port: postgresql.port,
      secret: role.password,
      database: "postgres",
      schema: "public",
    });
    await cardOf(one.page, NAME).getByText("Verified", { exact: true }).first().waitFor();
    await signIn(two.page, user, "/vault");
    await cardOf(two.page, NAME).getByText("Verified", { exact: true }).first().waitFor();
    news = await two.context.newPage();
    await news.goto("/notifications");
    await news.getByText("Real-time connected", { exact: true }).waitFor();
    await signIn(theirs.page, other, "/notifications");
    await theirs.page.getByText("Real-time connected", { exact: true }).waitFor();
    await Promise.all([two.page, news].map(mark));

    await postgresql.sql(`alter role ${role.username} password 'changed behind our back'`);
    await cardOf(one.page, NAME).getByRole("button", { name: "Verify Now" }).click();
    await cardOf(two.page, NAME).getByText("Rejected", { exact: true }).first().waitFor();
    await news.getByRole("list", { name: "Live events" }).getByText(NAME, { exact: false }).first().waitFor();
    assert.equal(await isMarked(two.page), true);
    await inspectScreen(news, "notifications");
  });

  step("an edit appears in the user's other browser", async () => {
    await cardOf(one.page, NAME).getByRole("button", { name: "Edit" }).click();
    const dialog = dialogOf(one.page, "Edit Credential");
    await fillCredential(dialog, { name: `${NAME}, renamed`, secret: "changed behind our back" });
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await seesToast(one.page, `"${NAME}, renamed" updated successfully`);
    await cardOf(two.page, `${NAME}, renamed`).waitFor();
    assert.equal(await isMarked(two.page), true);
  });

  step("a deletion removes the credential from the user's other browser", async () => {
    await chooseOn(one.page, `${NAME}, renamed`, "Delete");
    await dialogOf(one.page, "Delete Credential").getByRole("button", { name: "Delete", exact: true }).click();
    await two.page.getByText("No credentials found", { exact: true }).waitFor();
    assert.equal(await isMarked(two.page), true);
  });

  step("a different user receives events only about their own credentials", async () => {
    const theirNews = theirs.page;
    const vault = await theirs.context.newPage();
    await vault.goto("/vault");
    const role = await postgresql.addRole();
    await addCredential(vault, {
      name: "Of somebody else",
      type: "PostgreSQL",
      username: role.username,
      host: postgresql.host,
      port: postgresql.port,
      secret: role.password,
      database: "postgres",
      schema: "public",
    });
    const list = theirNews.getByRole("list", { name: "Live events" });
    await list.getByText("Of somebody else", { exact: false }).first().waitFor();
    assert.equal((await list.innerText()).includes(NAME), false);
    await seesHeading(news, "Notifications");
    assert.equal(
      (await news.getByRole("list", { name: "Live events" }).innerText()).includes("Of somebody else"),
      false,
    );
    for (const visit of [one, two, theirs]) assertNoErrors(visit);
  });
});
