// Enhanced scans and findings in a real browser: a manager scans a real sshd, reads a finding, vaults it and fixes its file.
import {
  needs,
  postgresqlAvailable,
  startPostgresql,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import type { PostgresqlServer, Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, firstAdmin, tokenOf } from "./testing/people.ts";
import { choose, dialogOf, seesToast, signIn, textField } from "./testing/screens.ts";
import { aScanTarget } from "./testing/scan-target.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const unavailable = noBrowser === false ? (unixUsersAvailable() ?? postgresqlAvailable()) : noBrowser;
const TARGET = "web-01";

describe("findings", needs(unavailable), () => {
  let server: RunningServer;
  let sshd: Sshd;
  let database: PostgresqlServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let home: string;
  let role: { username: string; password: string };
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, sshd, database] = await Promise.all([startServer(), startSshd(), startPostgresql()]);
    await firstAdmin(server);
    const manager = await aUser(server, "mona@example.com");
    const token = await tokenOf(server, manager);
    const scanner = await sshd.addUser("active", { sudo: "ALL", hasHome: true });
    home = scanner.home;
    role = await database.addRole();
    mkdirSync(join(home, "shop"));
    const url = `postgresql://${role.username}:${role.password}@${database.host}:${database.port}/postgres`;
    writeFileSync(join(home, "shop/database.conf"), `[shop]\ndatabase_url = ${url}\npool = 4\n`, { mode: 0o644 });
    await aScanTarget(server, token, sshd, scanner);
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, manager);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), sshd?.stop(), database?.stop()]);
  });

  const tab = (name: string) => page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
  const TITLE = "Password in database.conf";
  const where = () => `${TITLE} on ${sshd.host}`;

  step("SCAN-28, FIND-05: both tabs have an empty state", async () => {
    await page.getByRole("link", { name: "Discovery", exact: true }).click();
    await tab("Enhanced Scans");
    await page.getByText("No Enhanced Scans").waitFor();
    await inspectScreen(page, "scans-empty");
    await tab("Security Findings");
    await page.getByText("No Security Findings").waitFor();
    await inspectScreen(page, "findings-empty");
  });

  step("SCAN-31 to SCAN-33, SCAN-45: an enhanced scan is configured, saved and started", async () => {
    await tab("Discovery Targets");
    await page.getByRole("button", { name: `Enhanced scan of ${TARGET}` }).click();
    const dialog = dialogOf(page, "Enhanced Security Discovery Scan");
    await choose(dialog, "Scan depth", "Quick (2-5 min)");
    await dialog.getByRole("switch", { name: "Certificates" }).click();
    await dialog.getByRole("checkbox", { name: "GDPR" }).check();
    const homes = readdirSync("/home").map((name) => `/home/${name}`);
    const elsewhere = ["/etc", "/root", ...homes.filter((each) => each !== home)];
    await textField(dialog, "Exclude patterns").fill(elsewhere.join("\n"));
    await textField(dialog, "Save as").fill("Quick look");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await seesToast(page, "Scan configuration saved");
    await inspectScreen(page, "scan-settings");
    await dialog.getByRole("button", { name: "Start Enhanced Scan" }).click();
    await seesToast(page, "Enhanced security scan started successfully");
  });

  step("SCAN-27, SCAN-29: the scan completes, and its details show coverage and findings", async () => {
    await tab("Enhanced Scans");
    await page.getByText("Completed", { exact: true }).waitFor();
    await inspectScreen(page, "scans");
    await page.getByRole("button", { name: `Details of the enhanced scan of ${TARGET}` }).click();
    const dialog = dialogOf(page, "Enhanced Scan Details");
    await dialog.getByText(TITLE).waitFor();
    await inspectScreen(page, "scan-details");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  step("FIND-01, FIND-02: the finding is listed, filtered and investigated", async () => {
    await tab("Security Findings");
    await page.getByText(TITLE).waitFor();
    await inspectScreen(page, "findings");
    await page.getByRole("button", { name: `Investigate ${where()}` }).click();
    await seesToast(page, "Finding status updated to investigating");
    await page.getByText("Investigating", { exact: true }).first().waitFor();
  });

  step("FIND-03: the details show the masked place, the risk and the steps, never the password", async () => {
    await page.getByRole("button", { name: `Details of ${where()}` }).click();
    const dialog = dialogOf(page, "Security Finding Details");
    await dialog.getByText("How to Fix It").waitFor();
    await dialog.getByText("pool = ••••").waitFor();
    assert.ok(!(await page.content()).includes(role.password));
    await inspectScreen(page, "finding-details");
  });

  step("the finding gets an assignee and a due date", async () => {
    const details = dialogOf(page, "Security Finding Details");
    await details.getByRole("button", { name: "Assign", exact: true }).click();
    const dialog = dialogOf(page, "Assign Finding");
    await dialog.getByRole("button", { name: "Assign to Me" }).click();
    await dialog.getByLabel("Due").fill("2030-01-31");
    await inspectScreen(page, "finding-assign");
    await dialog.getByRole("button", { name: "Save" }).click();
    await seesToast(page, "Finding assigned successfully");
    await details.getByText("Assigned to mona").waitFor();
    await details.getByText(/^Jan 31, 2030/).waitFor();
  });

  step("a false-positive rule suppresses the finding until it is deleted", async () => {
    const details = dialogOf(page, "Security Finding Details");
    await details.getByRole("button", { name: "Add Rule" }).click();
    const dialog = dialogOf(page, "Add False-Positive Rule");
    await textField(dialog, "Reason").fill("A sample file");
    await inspectScreen(page, "finding-rule");
    await dialog.getByRole("button", { name: "Add Rule" }).click();
    await seesToast(page, "Rule added successfully");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    await page.getByText("False positive", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Rules", exact: true }).click();
    const rules = dialogOf(page, "False-Positive Rules");
    await rules.getByText("A sample file").waitFor();
    await inspectScreen(page, "finding-rules");
    await rules.getByRole("button", { name: /^Delete the rule Path/ }).click();
    await dialogOf(page, "Delete Rule").getByRole("button", { name: "Delete", exact: true }).click();
    await seesToast(page, "Rule deleted successfully");
    await rules.getByText("No rules").waitFor();
    await page.keyboard.press("Escape");
    await rules.waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Details of ${where()}` }).click();
    await details.getByText("How to Fix It").waitFor();
  });

  step("FIND-04, FIND-13, FIND-16: vaulting stores the secret, rotates it and updates the file", async () => {
    const details = dialogOf(page, "Security Finding Details");
    await details.getByRole("button", { name: "Vault", exact: true }).click();
    const dialog = dialogOf(page, "Vault Findings");
    await choose(dialog, "System", "PostgreSQL");
    await textField(dialog, "Host").fill(database.host);
    await textField(dialog, "Port").fill(String(database.port));
    await dialog.getByRole("radio", { name: "Rotate the secret and update the file" }).click();
    await inspectScreen(page, "finding-vault");
    await dialog.getByRole("button", { name: "Vault", exact: true }).click();
    await seesToast(page, "Vaulted 1 finding(s) successfully");
    await details.getByText("Fixed", { exact: true }).waitFor();
    await inspectScreen(page, "finding-fixed");
    const content = readFileSync(join(home, "shop/database.conf"), "utf8");
    assert.ok(!content.includes(role.password));
    assert.match(content, /^\[shop\]\ndatabase_url = postgresql:.*\npool = 4\n$/);
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
  });

  step("FIND-15: several findings change their status with a reason", async () => {
    await page.getByRole("checkbox", { name: `Select ${where()}` }).click();
    await page.getByRole("button", { name: "Change Status" }).click();
    const dialog = dialogOf(page, "Change Status");
    await choose(dialog, "Status", "Remediated");
    await textField(dialog, "Reason").fill("The file has the new password");
    await inspectScreen(page, "finding-status");
    await dialog.getByRole("button", { name: "Change Status" }).click();
    await seesToast(page, "Finding status updated to remediated");
  });

  step("FIND-04, FIND-14, FIND-17: the findings are exported as a spreadsheet", async () => {
    await page.getByRole("button", { name: "Export" }).click();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Excel" }).click(),
    ]);
    assert.match(saved.suggestedFilename(), /^security-findings-\d{4}-\d\d-\d\d\.xlsx$/);
    await seesToast(page, "Security findings exported successfully");
    assertNoErrors(visit);
  });
});
