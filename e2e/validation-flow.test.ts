// Tests the Validation Dashboard in a real browser: an account with an active grant on a real PostgreSQL fails, raises alerts,
// and recovers.
import {
  addSafeMember,
  approveAccessRequest,
  createAccessRequest,
  createAccount,
  createSafe,
  listPlatforms,
} from "@strongroom/contract";
import type { Account, Platform, Safe } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { cardOf, dialogOf, isAt, seesHeading, seesToast, signIn, textField, toastWith } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const GRANTED = "Owner of the billing database";
const STALE = "Reader of the billing database";
const unavailable = noBrowser === false ? postgresqlAvailable() : noBrowser;

describe("the Validation Dashboard", needs(unavailable), () => {
  let server: RunningServer;
  let postgresql: PostgresqlServer;
  let browser: Browser;
  let admin: Person;
  let token: string;
  let visit: Visit;
  let page: Page;
  let role: { username: string; password: string };
  let safe: Safe;
  let platform: Platform;
  let session: string;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, postgresql] = await Promise.all([startServer(), startPostgresql()]);
    role = await postgresql.addRole();
    admin = await firstAdmin(server);
    token = await tokenOf(server, admin);
    safe = await ask(server.url, createSafe, { body: { name: "Billing" } }, token);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const found = platforms.find(({ name }) => name === "PostgreSQL");
    assert.ok(found);
    platform = found;
    const account = await anAccount(GRANTED, role.password);
    await anAccount(STALE, "not the password any more");
    session = await grantAccess(account);
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), postgresql?.stop()]);
  });

  const anAccount = (name: string, password: string): Promise<Account> =>
    ask(
      server.url,
      createAccount,
      {
        body: {
          name,
          hostname: postgresql.host,
          port: postgresql.port,
          username: role.username,
          password,
          database_name: "postgres",
          schema_name: "public",
          system_type: "postgresql",
          connection_method: "SQL",
          platform_id: platform.id,
          safe_id: safe.id,
        },
      },
      token,
    );

  /** Grants access to a user who may only list the safe's accounts. Returns the session's id. */
  async function grantAccess({ id, name }: Account): Promise<string> {
    const requester = await tokenOf(server, await aUser(server, "bo@example.com"));
    const member = { user_id: userIdOf(requester), role: "custom", permissions: ["list"] } as const;
    await ask(
      server.url,
      addSafeMember,
      { params: { id: safe.id }, body: { ...member, permissions: ["list"] } },
      token,
    );
    const body = { resource: name, account_id: id, reason: "The nightly batch hangs" };
    const request = await ask(server.url, createAccessRequest, { body }, requester);
    if (request.status === "pending") {
      await ask(server.url, approveAccessRequest, { params: { id: request.id }, body: {} }, token);
    }
    return request.id;
  }

  const figure = (label: string, text: string) =>
    page.getByRole("article", { name: label, exact: true }).getByText(text, { exact: true }).waitFor();
  const tab = (name: string) => page.getByRole("tab", { name: new RegExp(`^${name}`) });
  const toast = (text: string) => toastWith(page, text).first();

  step("VAL-02 to VAL-10: the overview shows live states", async () => {
    await signIn(page, admin, "/validation-dashboard");
    await seesHeading(page, "Validation Dashboard");
    await page.getByText("Real-time connected", { exact: true }).waitFor();
    await figure("Total Accounts", "2");
    await figure("Active JIT Sessions", "1");
    await page.getByRole("list", { name: "Validation failures" }).getByText(STALE, { exact: true }).waitFor();
    await page.getByRole("list", { name: "Systems" }).getByText("1 verified", { exact: false }).waitFor();
    await tab("Account Validation").getByText("1", { exact: true }).waitFor();
    await inspectScreen(page, "validation-overview");
  });

  step("VAL-27, VAL-29, VAL-30, VAL-67, VAL-68: a failing account with an active grant raises the alarm", async () => {
    await postgresql.sql(`alter role ${role.username} password 'changed behind our back'`);
    await page.goto("/accounts");
    await cardOf(page, GRANTED).getByRole("button", { name: "Validate" }).click();
    await toast(`CRITICAL: Validation failure for ${GRANTED}`).waitFor();
    await page.goto("/validation-dashboard?tab=jit");
    const card = cardOf(page, GRANTED);
    await card.getByText("Critical", { exact: true }).waitFor();
    await card.getByRole("button", { name: `Validate ${GRANTED}` }).click();
    await toast(`Account validation failed: ${GRANTED}`).waitFor();
    await tab("JIT Sessions").getByText("1", { exact: true }).waitFor();
    await figure("Critical Issues", "1");
    await inspectScreen(page, "validation-jit");
    await card.getByRole("button", { name: "Details" }).click();
    await dialogOf(page, GRANTED).getByText("did not accept the password", { exact: false }).waitFor();
    await page.keyboard.press("Escape");
  });

  step("NOTIF-01, NOTIF-04, NOTIF-07, NOTIF-08: the bell shows the alarm, which can be read and cleared", async () => {
    const bell = page.getByRole("navigation", { name: "User menu" }).getByRole("button", {
      name: /^Notifications, \d+ unread/,
    });
    await bell.click();
    const list = page.getByRole("dialog", { name: "Notifications" });
    await list.getByText(GRANTED, { exact: false }).first().waitFor();
    await inspectScreen(page, "notification-bell");
    await list.getByRole("button", { name: "Mark All Read" }).click();
    await bell.waitFor({ state: "detached" });
    await list.getByRole("button", { name: "Clear All" }).click();
    await list.getByText("No notifications", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
  });

  step(
    "VAL-14, VAL-20, VAL-73: the dashboard lists failures, and validates the accounts together after the fix",
    async () => {
      await tab("Account Validation").click();
      await page.getByRole("tab", { name: "Failures (2)" }).click();
      const failures = page.getByRole("list", { name: "Validation failures" });
      const link = failures.getByRole("link", { name: `Active access: ${GRANTED}` });
      assert.equal(await link.getAttribute("href"), `/jit-access?request=${session}`);
      await inspectScreen(page, "validation-failures");
      await postgresql.sql(`alter role ${role.username} password '${role.password}'`);
      await page.getByRole("button", { name: "Bulk Validate Critical" }).click();
      await dialogOf(page, "Bulk Validate Critical").getByRole("button", { name: "Validate", exact: true }).click();
      await page.getByText("Verification completed", { exact: true }).waitFor();
      await page.getByText("2 of 2 done · 1 verified · 1 failed", { exact: true }).waitFor();
      await page.getByRole("tab", { name: "Failures (1)" }).waitFor();
      await page.getByRole("tab", { name: /^Recent Attempts/ }).click();
      await page
        .getByRole("table", { name: "Validation attempts" })
        .getByText(STALE, { exact: true })
        .first()
        .waitFor();
      await inspectScreen(page, "validation-attempts");
    },
  );

  step("VAL-70: the report is downloaded with its range and date in the file name", async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export Report" }).click();
    assert.match((await download).suggestedFilename(), /^validation-dashboard-24h-\d{4}-\d\d-\d\d\.xlsx$/);
    await seesToast(page, "Validation report exported");
  });

  step("FILTER-01, FILTER-02, FILTER-08, FILTER-09: the search finds accounts by status and grant reason", async () => {
    await tab("Advanced Search").click();
    await page.getByText("Search results will appear here", { exact: true }).waitFor();
    const results = page.getByRole("list", { name: "Search results" });
    await page.getByRole("button", { name: "Failed Validation" }).click();
    await results.getByText(STALE, { exact: true }).waitFor();
    await page.getByText("1 filter applied", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear All Filters" }).click();
    await textField(page.getByRole("main"), "Text").fill("nightly batch");
    await page.getByRole("button", { name: "Apply Filters" }).click();
    await results.getByText(GRANTED, { exact: true }).waitFor();
    assert.equal(await results.getByText(STALE, { exact: true }).count(), 0);
    await inspectScreen(page, "validation-search");
  });

  step("AUDIT-01, VAL-06, VAL-08: the audit trail contains the validations, and the settings open", async () => {
    await tab("Audit Trail").click();
    await isAt(page, "/validation-dashboard?tab=audit");
    await page.getByRole("heading", { name: "Enhanced Audit Trail" }).waitFor();
    await page.getByRole("button", { name: "Dashboard Settings" }).click();
    await dialogOf(page, "Dashboard Settings").waitFor();
    assertNoErrors(visit);
  });
});
