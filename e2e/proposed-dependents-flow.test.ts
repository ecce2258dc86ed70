// Proposed dependents in a real browser: a scan finds the password of an account in a file, the account page offers the
// file as a dependent, and the next rotation updates it.
import { createAccount, createSafe, listPlatforms } from "@strongroom/contract";
import {
  needs,
  postgresqlAvailable,
  startPostgresql,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import type { PostgresqlServer, Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { aScanTarget, completedScan, startScan } from "./testing/scan-target.ts";
import { assertHoldsNoSecret, dialogOf, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const unavailable = noBrowser === false ? (unixUsersAvailable() ?? postgresqlAvailable()) : noBrowser;

describe("proposed dependents", needs(unavailable), () => {
  let server: RunningServer;
  let sshd: Sshd;
  let database: PostgresqlServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let file: string;
  let role: { username: string; password: string };
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, sshd, database] = await Promise.all([startServer(), startSshd(), startPostgresql()]);
    const owner = await firstAdmin(server);
    const token = await tokenOf(server, owner);
    const scanner = await sshd.addUser("active", { sudo: "ALL", hasHome: true });
    role = await database.addRole();
    file = join(scanner.home, "shop.conf");
    writeFileSync(file, `[shop]\nuser = ${role.username}\npassword = ${role.password}\n`);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const safe = await ask(server.url, createSafe, { body: { name: "Databases" } }, token);
    const body = {
      name: "Shop database",
      system_type: "postgresql",
      connection_method: "SQL",
      hostname: database.host,
      port: database.port,
      database_name: "postgres",
      schema_name: "public",
      username: role.username,
      password: role.password,
      platform_id: platforms.find(({ name }) => name === "PostgreSQL")!.id,
      safe_id: safe.id,
    } as const;
    const account = await ask(server.url, createAccount, { body }, token);
    const targetId = await aScanTarget(server, token, sshd, scanner);
    await completedScan(server, token, await startScan(server, token, { targetId, home: scanner.home }));
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, owner, `/accounts/${account.id}`);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), sshd?.stop(), database?.stop()]);
  });

  const panel = () => page.getByRole("region", { name: "Dependents" });

  step("the rotation names the file that would keep the old password", async () => {
    await page.getByRole("button", { name: "Rotate Password" }).click();
    const dialog = dialogOf(page, "Rotate Password");
    await dialog.getByText("Scans found 1 use of this password").waitFor();
    await dialog.getByText(`${file} on ${sshd.host}`).waitFor();
    await inspectScreen(page, "rotate-with-proposals");
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  step("the account page offers the file as a dependent", async () => {
    await panel().getByRole("heading", { name: "Found by Scans" }).waitFor();
    await panel().getByText(file).waitFor();
    await inspectScreen(page, "proposed-dependents");
    await panel()
      .getByRole("button", { name: `Add ${file}` })
      .click();
    const dialog = dialogOf(page, "Add Dependent");
    await dialog.getByRole("link", { name: "web-01 scanner" }).waitFor();
    await inspectScreen(page, "proposed-dependent-add");
    await dialog.getByRole("button", { name: "Add" }).click();
    await seesToast(page, "Dependent added");
    await panel().getByText("Up to date").waitFor();
    await becomes(() => panel().getByText("Found by Scans").count(), 0);
  });

  step("the rotation updates the file", async () => {
    await page.getByRole("button", { name: "Rotate Password" }).click();
    const dialog = dialogOf(page, "Rotate Password");
    await dialog.getByRole("button", { name: "Rotate Password" }).click();
    await becomes(() => Promise.resolve(readFileSync(file, "utf8").includes(role.password)), false);
    assert.match(readFileSync(file, "utf8"), /^\[shop\]\nuser = \w+\npassword = \S+\n$/);
    await assertHoldsNoSecret(page, role.password);
    assertNoErrors(visit);
  });
});
