// Performs common tasks with the keyboard only, and counts the keys that each takes (docs/design.md).
import { addSafeMember, createAccount, createSafe, listPlatforms } from "@strongroom/contract";
import type { Account } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { aUser, ask, firstAdmin, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { clipboardHolds, dialogOf, isAt, seesHeading, seesToast } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const NAME = "Orders database";
const unavailable = noBrowser === false ? postgresqlAvailable() : noBrowser;

/** The keys besides the typed text that each task may take at most. */
const MOST_KEYS = {
  "sign in": 2,
  "open an account": 2,
  "copy a password": 2,
  "show a password": 4,
  "verify an account": 2,
  "rotate a password": 4,
  "search the accounts": 1,
  "select two accounts": 4,
  "open a page": 2,
  "see all shortcuts": 1,
} as const;

describe("tasks by keyboard only", needs(unavailable), () => {
  let server: RunningServer;
  let postgresql: PostgresqlServer;
  let browser: Browser;
  let admin: Person;
  let account: Account;
  let role: { username: string; password: string };
  let visit: Visit;
  let page: Page;
  let keys = 0;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, postgresql] = await Promise.all([startServer(), startPostgresql()]);
    role = await postgresql.addRole();
    admin = await firstAdmin(server);
    const token = await tokenOf(server, admin);
    const safe = await ask(server.url, createSafe, { body: { name: "Databases" } }, token);
    const member = { user_id: userIdOf(await tokenOf(server, await aUser(server, "bea@example.com"))) };
    await ask(server.url, addSafeMember, { params: { id: safe.id }, body: { ...member, role: "user" } }, token);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const platform = platforms.find(({ system_type: type }) => type === "postgresql");
    assert.ok(platform);
    const common = { system_type: "postgresql", connection_method: "SQL", safe_id: safe.id } as const;
    const target = {
      hostname: postgresql.host,
      port: postgresql.port,
      database_name: "postgres",
      schema_name: "public",
    };
    const login = { platform_id: platform.id, ...target, ...role };
    account = await ask(server.url, createAccount, { body: { name: NAME, ...common, ...login } }, token);
    for (let number = 0; number < 24; number += 1) {
      const other = { ...login, name: `Archive ${number}`, username: `nobody_${number}`, password: "not in use" };
      await ask(server.url, createAccount, { body: { ...common, ...other } }, token);
    }
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), postgresql?.stop()]);
  });

  async function press(...pressed: string[]): Promise<void> {
    for (const key of pressed) await page.keyboard.press(key);
    keys += pressed.length;
  }

  /** Types into the field that has the focus. */
  const type = (text: string) => page.keyboard.type(text);

  /** Opens the search of the top bar, types, and waits for the first option. */
  async function find(text: string, option: string): Promise<void> {
    await press("Control+k");
    await type(text);
    await page.getByRole("option").first().filter({ hasText: option }).waitFor();
  }

  function task(name: keyof typeof MOST_KEYS, work: () => Promise<void>): void {
    step(`${name}: at most ${MOST_KEYS[name]} keys besides the typed text`, async () => {
      keys = 0;
      await work();
      assert.ok(keys <= MOST_KEYS[name], `took ${keys} keys`);
    });
  }

  task("sign in", async () => {
    await page.goto("/auth");
    await page.getByRole("button", { name: "Sign In" }).waitFor();
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute("name")), "email");
    await type(admin.email);
    await press("Tab");
    await type(admin.password);
    await press("Enter");
    await isAt(page, "/");
    await page.getByRole("main").waitFor();
  });

  task("open an account", async () => {
    await find("orders", NAME);
    await press("Enter");
    await seesHeading(page, NAME);
  });

  task("copy a password", async () => {
    await find("copy orders", `Copy password of ${NAME}`);
    await press("Enter");
    await seesToast(page, "Password copied to clipboard!");
    await clipboardHolds(page, role.password);
  });

  task("show a password", async () => {
    await page.goto(`/accounts/${account.id}`);
    await page.getByRole("button", { name: "Copy Password" }).focus();
    await press("Tab", "Enter");
    const dialog = dialogOf(page, `Password of ${NAME}`);
    await dialog.getByRole("list", { name: "Characters" }).waitFor();
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  task("verify an account", async () => {
    await find("verify orders", `Verify ${NAME}`);
    await press("Enter");
    await page
      .getByText(/Validation completed for account/)
      .first()
      .waitFor();
  });

  task("rotate a password", async () => {
    await find("rotate orders", `Rotate ${NAME}`);
    await press("Enter");
    const dialog = page.getByRole("dialog").filter({ hasText: NAME });
    await dialog.waitFor();
    await becomes(() => page.evaluate(() => document.activeElement?.textContent?.trim()), "Cancel");
    await press("Tab");
    await press("Enter");
    await dialog.waitFor({ state: "detached" });
  });

  task("search the accounts", async () => {
    await page.goto("/accounts");
    await page.getByRole("table", { name: "Accounts" }).waitFor();
    await press("/");
    await type("archive 2");
    await page.waitForURL(/search=archive/);
  });

  task("select two accounts", async () => {
    await page.goto("/accounts");
    await page.getByRole("table", { name: "Accounts" }).getByRole("row").nth(3).waitFor();
    await press("j", "x", "j", "x");
    await page.getByText("2 accounts selected").waitFor();
  });

  task("open a page", async () => {
    await find("audit", "Audit Logs");
    await press("Enter");
    await seesHeading(page, "Audit Logs");
  });

  task("see all shortcuts", async () => {
    await press("?");
    await seesHeading(page, "Help");
    assertNoErrors(visit);
  });
});
