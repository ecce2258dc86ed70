// Azure in a real browser, against a fake: its form starts from the system, the login is tested, a target is scanned,
// and the cloud's resources are listed.
import { createSafe } from "@strongroom/contract";
import { AZURE_ROLES, needs, opensslAvailable, startFakeAzure } from "@strongroom/connectors/testing";
import type { FakeAzure } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, noBrowser } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { oneAdmin } from "./testing/one-admin.ts";
import type { OneAdmin } from "./testing/one-admin.ts";
import { ask } from "./testing/people.ts";
import { assertHoldsNoSecret, choose, chooseFor, dialogOf, seesToast, signIn, textField } from "./testing/screens.ts";
import { steps } from "./testing/steps.ts";

const unavailable = noBrowser === false ? opensslAvailable() : noBrowser;
const ACCOUNT = "Directory scanner";

describe("Azure", needs(unavailable), () => {
  let started: OneAdmin;
  let azure: FakeAzure;
  let page: Page;
  let clientId: string;
  let secret: string;
  const step = steps(() => page);

  before(async () => {
    [started, azure] = await Promise.all([oneAdmin(), startFakeAzure()]);
    const application = azure.addApplication("scanner");
    clientId = application.clientId;
    secret = application.secrets[0]!.text;
    azure.assignRole(azure.addUser("ada@corp.example").id, AZURE_ROLES.globalAdministrator);
    azure.addUser("bob@corp.example");
    azure.addApplication("deployer");
    azure.vaults.set("shop", { uri: `${azure.origin}/`, location: "westeurope", secrets: ["database", "mail"] });
    await ask(started.server.url, createSafe, { body: { name: "Clouds" } }, started.token);
    page = started.visit.page;
    await signIn(page, started.admin);
  });
  after(() => Promise.all([started?.close(), azure?.stop()]));

  const tab = (name: string) => page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();

  step("the system Azure sets address, port and protocol, and its login is tested before saving", async () => {
    await page.goto(`${started.server.url}/accounts`);
    await page.getByRole("button", { name: "Add Account" }).first().click();
    const dialog = dialogOf(page, "Create New Account");
    await choose(dialog, "System Type", "Azure");
    await becomes(() => textField(dialog, "Hostname/IP Address").inputValue(), "login.microsoftonline.com");
    await becomes(() => textField(dialog, "Port").inputValue(), "443");
    await textField(dialog, "Account Name").fill(ACCOUNT);
    await textField(dialog, "Username").fill(clientId);
    await dialog.locator('input[autocomplete="new-password"]').fill(secret);
    await textField(dialog, "Tenant").fill(azure.tenant);
    await choose(dialog, "Platform ID", "Azure");
    await choose(dialog, "Safe", "Clouds");
    await inspectScreen(page, "cloud-account");
    await dialog.getByRole("button", { name: "More options" }).click();
    await textField(dialog, "Endpoint").fill(azure.origin);
    await textField(dialog, "Trusted certificates (PEM)").fill(azure.ca);
    await dialog.getByRole("button", { name: "Test Login" }).click();
    await dialog.getByText(/accepted the client secret of the application/).waitFor();
    await dialog.getByRole("button", { name: "Create Account" }).click();
    await seesToast(page, `Account "${ACCOUNT}" created successfully`);
  });

  step("the wizard knows the cloud's address, and a scan finds users and applications", async () => {
    await page.goto(`${started.server.url}/discovery`);
    await page.getByRole("button", { name: "Add Discovery Target" }).first().click();
    const wizard = dialogOf(page, "Create Discovery Target");
    await textField(wizard, "Name").fill("Corp tenant");
    await choose(wizard, "Type", "Azure");
    await choose(wizard, "Safe", "Clouds");
    await wizard.getByRole("button", { name: "Next" }).click();
    await becomes(() => textField(wizard, "Hostname or IP Address").inputValue(), "login.microsoftonline.com");
    await wizard.getByRole("combobox", { name: "Credential" }).click();
    await page.getByRole("option", { name: new RegExp(`^${ACCOUNT}`) }).click();
    await wizard.getByRole("button", { name: "Next" }).click();
    await wizard.getByRole("button", { name: "Create Target" }).click();
    await seesToast(page, "Discovery target created successfully");
    assert.equal(await page.getByRole("button", { name: "Enhanced scan of Corp tenant" }).count(), 0);
    await chooseFor(page, "Corp tenant", "Find Cloud Resources");
    const dialog = dialogOf(page, "Find Cloud Resources");
    await inspectScreen(page, "cloud-discovery");
    await dialog.getByRole("button", { name: "Start Discovery" }).click();
    await seesToast(page, "Cloud discovery started successfully");
    await page.getByText(/Last scan: Completed/).waitFor();
    await tab("Discovered Accounts");
    const row = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await row("ada@corp.example").getByText("Privileged", { exact: true }).waitFor();
    await row("deployer (").waitFor();
    await inspectScreen(page, "cloud-accounts");
  });

  step("the resources are listed and filtered, and no page holds the secret", async () => {
    await page.goto(`${started.server.url}/discovery?tab=accounts&view=cloud`);
    await page.getByText("shop/database").waitFor();
    await choose(page.locator("main"), "Cloud", "Azure");
    await choose(page.locator("main"), "Kind", "Secret");
    await page.getByText("ada@corp.example", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("shop/mail").waitFor();
    await inspectScreen(page, "cloud-resources");
    await assertHoldsNoSecret(page, secret);
    assertNoErrors(started.visit);
  });
});
