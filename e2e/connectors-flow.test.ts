// Tests accounts whose protocol and parameters are entered in generated fields, in a real browser.
import { createAccount, createSafe, listAccounts, listPlatforms, readAccountDetails } from "@strongroom/contract";
import type { Account } from "@strongroom/contract";
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { choose, dialogOf, seesToast, signIn, textField } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const LEGACY = {
  protocol: "LDAPS",
  dn_template: "uid={username},ou=people,dc=example,dc=com",
  privileged_groups: "admins",
  servers: [{ name: "ldap1", weight: 3 }],
};

describe("connection settings of an account", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  let admin: Person;
  let token: string;
  let legacy: Account;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    token = await tokenOf(server, admin);
    const safe = await ask(server.url, createSafe, { body: { name: "Services" } }, token);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const platform = platforms.find(({ name }) => name === "Application");
    assert.ok(platform);
    const body = {
      name: "Directory reader",
      hostname: "ldap.example.com",
      username: "reader",
      password: "a password of the directory",
      system_type: "Application",
      connection_method: "HTTPS",
      platform_id: platform.id,
      safe_id: safe.id,
      additional_params: LEGACY,
    } as const;
    legacy = await ask(server.url, createAccount, { body }, token);
    page = (await visitor(browser, server.url)).page;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const stored = async (name: string): Promise<Account> => {
    const { data } = await ask(server.url, listAccounts, { query: { search: name } }, token);
    assert.ok(data[0], `${name} is stored`);
    return data[0];
  };

  step("ACC-50: a Redis account is created through generated fields, without JSON", async () => {
    await signIn(page, admin, "/accounts");
    await page.getByRole("button", { name: "Add Account" }).first().click();
    const dialog = dialogOf(page, "Create New Account");
    const search = dialog.getByRole("combobox", { name: "System", exact: true });
    await search.pressSequentially("redis");
    await search.press("Enter");
    await becomes(() => textField(dialog, "Port").inputValue(), "6379");
    const fields: [label: string, text: string][] = [
      ["Account Name", "Cache of the shop"],
      ["Hostname/IP Address", "cache.example.com"],
      ["Username", "shop"],
    ];
    for (const [label, text] of fields) await textField(dialog, label).fill(text);
    await dialog.locator('input[autocomplete="new-password"]').fill("a password of the cache");
    await dialog.getByRole("button", { name: "More options" }).focus();
    await page.keyboard.press("Enter");
    await textField(dialog, "Name in the certificate").fill("redis.internal");
    await choose(dialog, "Safe", "Services");
    await inspectScreen(page, "account-redis");
    await dialog.getByRole("button", { name: "Create Account" }).click();
    await seesToast(page, 'Account "Cache of the shop" created successfully');
    const { port, connector, additional_params } = await stored("Cache of the shop");
    assert.equal(port, 6379);
    assert.equal(connector?.name, "Redis");
    assert.deepEqual(additional_params, { protocol: "redis", sslmode: "verify-full", servername: "redis.internal" });
  });

  step("every system of the search sets a platform and a protocol that the server knows", async () => {
    await page.getByRole("button", { name: "Add Account" }).first().click();
    const dialog = dialogOf(page, "Create New Account");
    const search = dialog.getByRole("combobox", { name: "System", exact: true });
    const options = page.getByRole("listbox", { name: "System", exact: true }).getByRole("option");
    await search.click();
    const labels = await options.allInnerTexts();
    assert.ok(labels.length > 20, "the list is complete");
    for (const [index, label] of labels.entries()) {
      await search.click();
      await options.nth(index).click();
      await becomes(() => search.inputValue(), label);
      assert.notEqual(await dialog.getByRole("combobox", { name: "Platform ID" }).inputValue(), "", label);
      const protocol = dialog.getByRole("combobox", { name: "Protocol" });
      if ((await protocol.count()) === 0) continue;
      assert.doesNotMatch(await protocol.inputValue(), /unknown|not verified/, label);
    }
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  step("parameters that the form has no field for are shown, and an edit keeps them", async () => {
    await page.goto(`/accounts/${legacy.id}`);
    await page.getByRole("button", { name: "Edit Account" }).click();
    const dialog = dialogOf(page, "Edit Account");
    await textField(dialog, "Directory server").fill("ldap2.example.com");
    const others = dialog.getByRole("group", { name: "Other parameters" });
    assert.equal(await textField(others, "privileged_groups").inputValue(), "admins");
    await textField(others, "servers[1].weight").fill("5");
    await inspectScreen(page, "account-other-parameters");
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await seesToast(page, 'Account "Directory reader" updated successfully');
    const { additional_params } = await ask(server.url, readAccountDetails, { params: { id: legacy.id } }, token);
    assert.deepEqual(additional_params, {
      ...LEGACY,
      servers: [{ name: "ldap1", weight: 5 }],
      directory_server: "ldap2.example.com",
    });
  });

  step("CRED-34: a credential of a network device has fields for its prompts", async () => {
    await page.goto("/vault");
    await page.getByRole("button", { name: "Add Credential" }).first().click();
    const dialog = dialogOf(page, "Add New Credential");
    await choose(dialog, "Protocol", "Network device over SSH");
    await dialog.getByRole("button", { name: "More options" }).click();
    await dialog.getByRole("button", { name: "Add row to Steps of a change", exact: true }).click();
    await textField(dialog, "Steps of a change, row 1: Prompt").fill("*$ menu:");
    await inspectScreen(page, "credential-network-device");
  });
});
