// An enhanced scan of a Git repository in a real browser: the target made with the wizard, a secret of the history shown and vaulted.
import { createAccount, createSafe, listPlatforms } from "@strongroom/contract";
import {
  gitAvailable,
  makeAuthority,
  needs,
  opensslAvailable,
  postgresqlAvailable,
  startGitServer,
  startPostgresql,
} from "@strongroom/connectors/testing";
import type { GitServer, PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { assertHoldsNoSecret, dialogOf, seesToast, signIn, textField } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const AVAILABLE = needs(
  noBrowser === false ? null : noBrowser,
  gitAvailable(),
  opensslAvailable(),
  postgresqlAvailable(),
);

describe("an enhanced scan of a Git repository", AVAILABLE, () => {
  let server: RunningServer;
  let database: PostgresqlServer;
  let git: GitServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let role: { username: string; password: string };
  const step = steps(() => page);

  before(async () => {
    const authority = await makeAuthority();
    browser = await launchBrowser();
    [server, database, git] = await Promise.all([
      startServer(),
      startPostgresql(),
      startGitServer(await authority.issue(["127.0.0.1"])),
    ]);
    role = await database.addRole();
    const { commit } = git.addRepository("shop/backend.git");
    const settings = `DB_HOST=${database.host}\nDB_PORT=${database.port}\nDB_USER=${role.username}\n`;
    commit({ "config/app.env": `${settings}DB_PASSWORD=${role.password}\n` }, "Add the settings");
    commit({ "config/app.env": settings }, "Remove the password");
    const owner = await firstAdmin(server);
    const token = await tokenOf(server, owner);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const safe = await ask(server.url, createSafe, { body: { name: "Source code" } }, token);
    const account = {
      name: "Deploy token of shop",
      system_type: "Application",
      connection_method: "HTTPS",
      hostname: git.host,
      port: git.port,
      ...git.login,
      platform_id: platforms[0]!.id,
      safe_id: safe.id,
      additional_params: { protocol: "git", repositories: "shop/backend.git", ca: authority.certificate },
    } as const;
    await ask(server.url, createAccount, { body: account }, token);
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, owner, "/discovery?tab=targets");
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), database?.stop(), git?.stop()]);
  });

  step("the wizard makes a target without a schedule of basic scans, and tests its login", async () => {
    await page.getByRole("button", { name: "Add Discovery Target" }).first().click();
    const dialog = dialogOf(page, "Create Discovery Target");
    const pick = async (label: string, text: string) => {
      const field = dialog.getByRole("combobox", { name: label }).or(textField(dialog, label)).first();
      await field.click();
      if (label !== "Type") await field.fill(text);
      await page.getByRole("option", { name: text }).first().click();
    };
    await textField(dialog, "Name").fill("Shop repositories");
    await pick("Type", "Git repositories");
    await pick("Safe", "Source code");
    await dialog.getByRole("button", { name: "Next" }).click();
    await textField(dialog, "Hostname or IP Address").fill(git.host);
    await pick("Credential", "Deploy token of shop");
    await dialog.getByRole("button", { name: "Next" }).click();
    await textField(dialog, "Port").fill(String(git.port));
    await dialog.getByRole("button", { name: "Test Connection" }).click();
    await dialog.getByText("The login works").waitFor();
    assert.equal(await dialog.getByLabel("Schedule").count(), 0);
    await inspectScreen(page, "repository-target");
    await dialog.getByRole("button", { name: "Create Target" }).click();
    await seesToast(page, "Discovery target created successfully");
    assert.equal(await page.getByRole("button", { name: "Scan Shop repositories" }).count(), 0);
  });

  step("the form offers what repositories have", async () => {
    await page.getByRole("button", { name: "Enhanced scan of Shop repositories" }).click();
    const dialog = dialogOf(page, "Enhanced Security Discovery Scan");
    await dialog.getByText("every version on all branches and tags").waitFor();
    await inspectScreen(page, "repository-scan-form");
    await dialog.getByRole("button", { name: "Start Enhanced Scan" }).click();
    await seesToast(page, "Enhanced security scan started successfully");
    await page.getByRole("tab", { name: /^Enhanced Scans/ }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
  });

  step("the finding names the commit that contains the removed secret, and the secret is vaulted", async () => {
    await page.goto("/discovery?tab=findings");
    await page.getByRole("button", { name: /Details/ }).click();
    const details = page.getByRole("dialog");
    await details.getByText("shop/backend.git", { exact: true }).waitFor();
    await details.getByText(/present file of the default branch does not contain it; commit/).waitFor();
    await inspectScreen(page, "repository-finding");
    await details.getByRole("button", { name: "Vault" }).click();
    const dialog = dialogOf(page, "Vault Findings");
    await dialog.getByText("Reads 1 place again").waitFor();
    await dialog.getByRole("combobox", { name: "System" }).click();
    await page.getByRole("option", { name: "PostgreSQL" }).click();
    await textField(dialog, "Host").fill(database.host);
    await dialog.getByRole("button", { name: "Vault" }).click();
    await seesToast(page, "Vaulted 1 finding(s) successfully");
    await assertHoldsNoSecret(page, role.password);
    assertNoErrors(visit);
  });
});
