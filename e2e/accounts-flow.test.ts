// Tests shared accounts in a real browser: from the first account of a real PostgreSQL to thousands of imported ones.
import { addSafeMember, createAccount, createSafe, importAccounts, listPlatforms } from "@strongroom/contract";
import type { Safe } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import {
  assertHoldsNoSecret,
  cardOf,
  choose,
  clipboardHolds,
  dialogOf,
  isAt,
  seesHeading,
  seesToast,
  signIn,
  textField,
} from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const NAME = "Owner of the orders database";
const WRONG = "not the password any more";
const THEIRS = "Of somebody else's safe";
const unavailable = noBrowser === false ? postgresqlAvailable() : noBrowser;

/** Enough accounts to notice a list that renders all of them. */
const MANY = 1000;

describe("accounts", needs(unavailable), () => {
  let server: RunningServer;
  let postgresql: PostgresqlServer;
  let browser: Browser;
  let owner: Person;
  let token: string;
  let visit: Visit;
  let page: Page;
  let role: { username: string; password: string };
  let databases: Safe;
  const step = steps(() => page);

  /** Creates a safe of the owner. */
  const aSafe = (name: string) => ask(server.url, createSafe, { body: { name } }, token);

  before(async () => {
    browser = await launchBrowser();
    [server, postgresql] = await Promise.all([startServer(), startPostgresql()]);
    role = await postgresql.addRole();
    const admin = await firstAdmin(server);
    owner = await aUser(server, "uwe@example.com");
    token = await tokenOf(server, owner);
    databases = await aSafe("Databases");
    await aSafe("Archive");
    await shareReadOnly(admin);
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), postgresql?.stop()]);
  });

  /** Creates another user's safe, in which the owner can see an account but may not use it. */
  async function shareReadOnly(admin: Person): Promise<void> {
    const theirs = await tokenOf(server, admin);
    const safe = await ask(server.url, createSafe, { body: { name: "Not theirs" } }, theirs);
    const { platforms } = await ask(server.url, listPlatforms, {}, theirs);
    const platform = platforms.find(({ name }) => name === "Application");
    assert.ok(platform);
    const member = { user_id: userIdOf(token), role: "auditor" } as const;
    await ask(server.url, addSafeMember, { params: { id: safe.id }, body: member }, theirs);
    const body = {
      name: THEIRS,
      hostname: "app.example.com",
      username: "service",
      password: "a password of theirs",
      system_type: "Application",
      connection_method: "HTTPS",
      platform_id: platform.id,
      safe_id: safe.id,
    } as const;
    await ask(server.url, createAccount, { body }, theirs);
  }

  const openMenu = async (item: string) => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  const figure = (label: string) => page.getByRole("article", { name: label, exact: true });
  const validate = async (status: "Verified" | "Rejected") => {
    await page.getByRole("button", { name: "Validate", exact: true }).click();
    const text = `Validation completed for account ${NAME} with status: ${status}`;
    await page.locator(".mantine-Notification-root").getByText(text, { exact: true }).first().waitFor();
  };
  const replacePassword = async (password: string) => {
    await page.getByRole("button", { name: "Edit Account" }).click();
    const dialog = dialogOf(page, "Edit Account");
    await dialog.locator('input[autocomplete="new-password"]').fill(password);
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await seesToast(page, `Account "${NAME}" updated successfully`);
    await dialog.waitFor({ state: "detached" });
  };

  step("ACC-01 to ACC-12: the page shows counts, and a message when no accounts are found", async () => {
    await signIn(page, owner, "/accounts");
    await seesHeading(page, "Account Management");
    await cardOf(page, THEIRS).waitFor();
    await page.getByPlaceholder("Search accounts...").fill("no such thing");
    await page.getByText("No accounts match your search criteria.", { exact: true }).waitFor();
    await inspectScreen(page, "accounts-nothing-found");
    await page.getByPlaceholder("Search accounts...").fill("");
    await cardOf(page, THEIRS).waitFor();
  });

  step("ACC-45 to ACC-60: the form shows one error at a time", async () => {
    await page.getByRole("button", { name: "Add Account" }).click();
    const dialog = dialogOf(page, "Create New Account");
    await dialog.getByRole("button", { name: "Create Account" }).click();
    await dialog.getByText("Account name is required", { exact: true }).waitFor();
    await textField(dialog, "Account Name").fill(NAME);
    await dialog.getByText("Account name is required", { exact: true }).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Create Account" }).click();
    await dialog.getByText("Hostname/IP is required", { exact: true }).waitFor();
    await choose(dialog, "System Type", "PostgreSQL");
    await dialog.getByRole("heading", { name: "Database Configuration" }).waitFor();
    await becomes(() => textField(dialog, "Port").inputValue(), "5432");
    await inspectScreen(page, "account-create");
  });

  step("ACC-53 to ACC-57: the password of a real PostgreSQL role is stored and validated automatically", async () => {
    const dialog = dialogOf(page, "Create New Account");
    const fields: [label: string, text: string][] = [
      ["Hostname/IP Address", postgresql.host],
      ["Port", String(postgresql.port)],
      ["Username", role.username],
      ["Database Name", "postgres"],
      ["Schema Name", "public"],
    ];
    for (const [label, text] of fields) await textField(dialog, label).fill(text);
    await dialog.locator('input[autocomplete="new-password"]').fill(role.password);
    await choose(dialog, "Platform ID", "PostgreSQL");
    await choose(dialog, "Safe", "Databases");
    await dialog.getByRole("button", { name: "Create Account" }).click();
    await seesToast(page, `Account "${NAME}" created successfully`);
    await cardOf(page, NAME).getByText("Verified", { exact: true }).waitFor();
    await figure("Total Accounts").getByText("2", { exact: true }).waitFor();
    assert.match(postgresql.log(), new RegExp(`connection authorized: user=${role.username}`));
    await inspectScreen(page, "accounts");
  });

  step("ACC-34: Copy puts the password on the clipboard and nowhere else", async () => {
    await cardOf(page, NAME).getByRole("button", { name: "Copy Password" }).click();
    await seesToast(page, "Password copied to clipboard!");
    await clipboardHolds(page, role.password);
    await assertHoldsNoSecret(page, role.password);
    assert.equal(server.output().includes(role.password), false, "the server's log does not hold it");
  });

  step(
    "ACC-29, ACC-43: after an edit, a wrong password is reported as invalid, and as valid once it is corrected",
    async () => {
      await cardOf(page, NAME).getByRole("link", { name: "Details" }).click();
      await page.waitForURL(/\/accounts\/[0-9a-f-]{36}$/);
      await seesHeading(page, NAME);
      await replacePassword(WRONG);
      await validate("Rejected");
      await page.getByText(`did not accept the password for ${role.username}`, { exact: false }).first().waitFor();
      await replacePassword(role.password);
      await validate("Verified");
    },
  );

  step("ACC-82 to ACC-89: the validation history lists every validation", async () => {
    await page.getByRole("button", { name: "Validation History" }).click();
    const dialog = dialogOf(page, `Validation History ${NAME}`);
    const entries = dialog.getByRole("list", { name: "Validations" }).getByRole("listitem");
    await entries.filter({ hasText: "Rejected" }).first().waitFor();
    await entries.filter({ hasText: "Verified" }).first().waitFor();
    await inspectScreen(page, "validation-history");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  step("a permitted user copies an earlier password, and the page shows access, reasons and history", async () => {
    const versions = page.getByRole("list", { name: "Versions" });
    await versions.getByText("Current version", { exact: true }).waitFor();
    await versions.getByRole("button", { name: "Copy version 2" }).click();
    await seesToast(page, "Password copied to clipboard!");
    await clipboardHolds(page, WRONG);
    const people = page.getByRole("list", { name: "People with access" });
    await people.getByText("Member as Owner", { exact: false }).waitFor();
    await seesHeading(page, "Audit History");
    await inspectScreen(page, "account-detail");
  });

  step("an account keeps its data when it moves to another safe", async () => {
    await page.getByRole("button", { name: "Move to Another Safe" }).click();
    const dialog = dialogOf(page, "Move to Another Safe");
    await choose(dialog, "Safe", "Archive");
    await dialog.getByRole("button", { name: "Move Account" }).click();
    await seesToast(page, `Account "${NAME}" moved to "Archive"`);
    await page.getByRole("main").getByRole("link", { name: "Archive" }).waitFor();
    await page.getByRole("button", { name: "Copy Password" }).click();
    await seesToast(page, "Password copied to clipboard!");
    await clipboardHolds(page, role.password);
  });

  step("the password is shown in large characters, and leaves the page with the dialog", async () => {
    await page.getByRole("button", { name: "Show Password" }).click();
    const dialog = dialogOf(page, `Password of ${NAME}`);
    const characters = dialog.getByRole("list", { name: "Characters" }).getByRole("listitem");
    await becomes(() => characters.count(), role.password.length);
    await inspectScreen(page, "shown-password");
    await dialog.getByRole("button", { name: "Hide" }).click();
    await dialog.waitFor({ state: "detached" });
    await assertHoldsNoSecret(page, role.password);
  });

  step("the import lists every bad line first, then skips the lines that the user excludes", async () => {
    await page.getByRole("link", { name: "Account Management" }).click();
    await isAt(page, "/accounts");
    await openMenu("Import from CSV");
    const dialog = dialogOf(page, "Import Accounts from CSV");
    const csv = [
      "name,hostname,username,password,platform,safe,system_type,connection_method",
      "Imported one,one.example.com,service,an imported password,Application,Databases,Application,HTTPS",
      "Imported two,,service,an imported password,Application,Databases,Application,HTTPS",
      "Imported three,three.example.com,service,an imported password,Application,,Application,HTTPS",
    ].join("\n");
    const file = { name: "accounts.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
    await dialog.locator('input[type="file"]').setInputFiles(file);
    const bad = dialog.getByRole("region", { name: "Invalid lines" });
    await bad.getByRole("cell", { name: "Hostname/IP is required" }).waitFor();
    await inspectScreen(page, "account-import");
    await choose(dialog, "Safe", "Databases");
    await dialog.getByRole("button", { name: "Skip Invalid Lines and Import 2 accounts" }).click();
    await dialog.waitFor({ state: "detached" });
    await cardOf(page, "Imported one").waitFor();
    await cardOf(page, "Imported three").waitFor();
    assert.equal(await cardOf(page, "Imported two").count(), 0);
  });

  step("a bulk action disables several accounts at once, and lists failures with reasons", async () => {
    await openMenu("Select Multiple");
    const bar = page.getByRole("region", { name: "Selected accounts" });
    for (const name of ["Imported one", THEIRS]) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    await bar.getByText("2 accounts selected", { exact: true }).waitFor();
    await inspectScreen(page, "accounts-selected");
    await bar.getByRole("button", { name: "More" }).click();
    await bar.getByRole("menuitem", { name: "Disable" }).click();
    await dialogOf(page, "Disable 2 accounts").getByRole("button", { name: "Disable" }).click();
    const result = dialogOf(page, "Disable: Some Accounts Failed");
    await result.getByRole("listitem").filter({ hasText: THEIRS }).waitFor();
    await result.getByText("1 done", { exact: true }).waitFor();
    await inspectScreen(page, "accounts-bulk-result");
    await result.getByRole("button", { name: "Close" }).last().click();
    await bar.getByRole("button", { name: "Done" }).click();
    await cardOf(page, "Imported one").getByText("Disabled:", { exact: false }).waitFor();
  });

  step("the export contains every account and no password", async () => {
    const download = page.waitForEvent("download");
    await openMenu("Export as CSV");
    const path = await (await download).path();
    const text = await readFile(path, "utf8");
    for (const name of [NAME, "Imported one", THEIRS]) assert.ok(text.includes(name), name);
    assert.equal(
      [role.password, "an imported password", WRONG].some((secret) => text.includes(secret)),
      false,
    );
  });

  step("ACC-35: deleting an account asks for confirmation first, and then returns to the list", async () => {
    await cardOf(page, NAME)
      .getByRole("button", { name: `Actions for ${NAME}` })
      .click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const dialog = dialogOf(page, "Delete Account");
    await dialog.getByText("destroyed immediately", { exact: false }).waitFor();
    await inspectScreen(page, "account-delete");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await seesToast(page, `Account "${NAME}" deleted successfully`);
    await cardOf(page, NAME).waitFor({ state: "detached" });
  });

  step(
    `${MANY} accounts scroll: only rows near the window are rendered, and the last account is reachable`,
    async () => {
      const lines = Array.from(
        { length: MANY },
        (_, n) => `Account ${n},app${n}.example.com,service,an imported password,Application,Application,HTTPS`,
      );
      const header = "name,hostname,username,password,platform,system_type,connection_method";
      const csv = [header, ...lines].join("\n");
      const body = { csv, dry_run: false, safe_id: databases.id };
      const { imported } = await ask(server.url, importAccounts, { body }, token);
      assert.equal(imported, MANY);
      await page.goto("/accounts?layout=cards");
      const list = page.getByRole("list", { name: "Accounts" });
      await list.getByRole("article").first().waitFor();
      // The oldest account comes last, and each page is fetched while scrolling.
      await becomes(async () => {
        await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
        return cardOf(page, THEIRS).count();
      }, 1);
      assert.ok((await list.getByRole("article").count()) < 100, "only what is near the window is drawn");
    },
  );

  step(`${MANY} accounts are a table by default: sorted by the server, used by keyboard, and accessible`, async () => {
    await page.goto("/accounts?sort=name");
    const table = page.getByRole("table", { name: "Accounts" });
    await table.getByRole("link", { name: "Account 0", exact: true }).waitFor();
    await inspectScreen(page, "accounts-table");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByRole("region", { name: "Selected accounts" }).getByText("1 account selected").waitFor();
    await becomes(() => page.evaluate(() => document.activeElement?.textContent), "Account 1");
    await inspectScreen(page, "accounts-table-selected");
    await page.keyboard.press("/");
    await page.keyboard.type("Imported one");
    await table.getByRole("link", { name: "Imported one", exact: true }).waitFor();
    await becomes(() => table.getByRole("row").count(), 2);
    // Escape would clear the search.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await seesHeading(page, "Imported one");
    assertNoErrors(visit);
  });
});
