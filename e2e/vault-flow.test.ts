// Tests the first hour with Strongroom in a real browser: from the setup link to credentials of real targets and signing out.
import {
  mariadbAvailable,
  needs,
  postgresqlAvailable,
  startMariadb,
  startPostgresql,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import type { MariadbServer, PostgresqlServer, Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import {
  addCredential,
  assertHoldsNoSecret,
  cardOf,
  chooseOn,
  clipboardHolds,
  dialogOf,
  fillCredential,
  fillSignIn,
  hasNoHash,
  isAt,
  secretField,
  seesHeading,
  seesToast,
} from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const ADMIN = { email: "ada@example.com", password: "correct horse battery" };
const DATABASE = "Orders database";
const HOST = "Build host";
const SHOP = "Shop database";
const WRONG = "not the password any more";

const unavailable = noBrowser === false ? postgresqlAvailable() : noBrowser;

describe("the vault, from the setup link to signing out", needs(unavailable), () => {
  let server: RunningServer;
  let postgresql: PostgresqlServer;
  let mariadb: MariadbServer | null = null;
  let sshd: Sshd | null = null;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let role: { username: string; password: string };
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, postgresql] = await Promise.all([startServer(), startPostgresql()]);
    role = await postgresql.addRole();
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), postgresql?.stop(), mariadb?.stop(), sshd?.stop()]);
  });

  step("SIGNUP-01 to SIGNUP-06: the setup link opens the sign-up page for the first administrator", async () => {
    assert.ok(server.setupLink, "the server prints a setup link");
    await page.goto(server.setupLink);
    await seesHeading(page, "Get Started");
    await page
      .getByText("You are creating the first account. It becomes the administrator of this installation.")
      .waitFor();
    await hasNoHash(page);
    await page.locator('a[href="/login"]', { hasText: "Login" }).waitFor();
    await inspectScreen(page, "sign-up-first");
  });

  step("SIGNUP-07, SIGNUP-08, SIGNUP-09: sign-up errors appear at their fields", async () => {
    await page.getByLabel("Your email").fill("not an address");
    await page.getByLabel("Create new password").fill("short");
    await page.getByLabel("Confirm password").fill("other");
    await page.getByRole("button", { name: "Create a new account" }).click();
    for (const text of [
      "Please enter a valid email address.",
      "Password must be at least 8 characters.",
      "Passwords do not match.",
    ]) {
      await page.getByText(text, { exact: true }).waitFor();
    }
    await inspectScreen(page, "sign-up-errors");
  });

  step("the setup link signs the first administrator in and shows the setup checklist", async () => {
    await page.getByLabel("Your email").fill(ADMIN.email);
    await page.getByLabel("Create new password").fill(ADMIN.password);
    await page.getByLabel("Confirm password").fill(ADMIN.password);
    await page.getByRole("button", { name: "Create a new account" }).click();
    await seesToast(page, "Administrator account created. Welcome to Strongroom!");
    await isAt(page, "/");
    await seesHeading(page, "Dashboard");
    const setup = page.getByRole("region", { name: "Set Up Strongroom" });
    await setup.getByRole("link", { name: "Open Safes: Create a safe" }).waitFor();
    await inspectScreen(page, "dashboard-first-hour");
    await setup.getByRole("button", { name: "Dismiss: Connect a sign-in provider" }).click();
    await setup.getByText("Connect a sign-in provider").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Sign Out" }).click();
    await isAt(page, "/login");
    await seesHeading(page, "Sign In to Strongroom");
  });

  step("AUTH-01, AUTH-21, DASH-01: signing in shows a welcome message and the dashboard", async () => {
    await inspectScreen(page, "sign-in");
    await fillSignIn(page, ADMIN);
    await page.getByRole("button", { name: "Sign In" }).click();
    await seesToast(page, "Welcome back!");
    await isAt(page, "/");
    await seesHeading(page, "Dashboard");
    for (const card of ["Total Credentials", "Active Sessions", "Privileged Users", "Compliance Score"]) {
      await page.getByText(card, { exact: true }).waitFor();
    }
    await inspectScreen(page, "dashboard-new");
  });

  step("VAULT-02, VAULT-21, VAULT-23: a new vault is empty and shows the first step", async () => {
    await page.getByRole("link", { name: "Credential Vault" }).click();
    await isAt(page, "/vault");
    await seesHeading(page, "Credential Vault");
    await page.getByText("Securely manage and access your privileged credentials", { exact: true }).waitFor();
    await page.getByText("No credentials found", { exact: true }).waitFor();
    await page.getByText("Get started by adding your first credential", { exact: true }).waitFor();
    await inspectScreen(page, "vault-empty");
  });

  step("CRED-20 to CRED-35: the dialog shows the fields of the type and reports missing ones", async () => {
    await page.getByRole("button", { name: "Add Credential" }).first().click();
    const dialog = dialogOf(page, "Add New Credential");
    const port = dialog.getByLabel("Port");
    await becomes(() => port.inputValue(), "");
    await fillCredential(dialog, { name: "ab", type: "PostgreSQL", username: "x" });
    await becomes(() => port.inputValue(), "5432");
    await dialog.getByRole("button", { name: "Add Credential" }).click();
    for (const text of [
      "Name must be 3 to 100 characters",
      "Username must be 2 to 50 characters",
      "Password/secret must be at least 8 characters",
      "Database name is required",
      "Schema name is required",
    ]) {
      await dialog.getByText(text, { exact: true }).waitFor();
    }
    await inspectScreen(page, "add-credential-errors");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  step("VAULT-28: Verify Now verifies the password of a real PostgreSQL role", async () => {
    await addCredential(page, {
      name: DATABASE,
      type: "PostgreSQL",
      username: role.username,
      host: postgresql.host,
      port: postgresql.port,
      secret: role.password,
      database: "postgres",
      schema: "public",
    });
    const card = cardOf(page, DATABASE);
    // The first verification starts automatically.
    await card.getByText("Verified", { exact: true }).first().waitFor();
    await card.getByRole("button", { name: "Verify Now" }).click();
    await seesToast(page, `Verification successful for "${DATABASE}"`);
    await card.getByText(`${postgresql.host}:${postgresql.port}`).waitFor();
    await becomes(() => postgresql.log().includes(`connection authorized: user=${role.username}`), true);
    await inspectScreen(page, "vault-verified");
  });

  step("VAULT-09, VAULT-30: Verify Now explains the failure after an edit to a wrong secret", async () => {
    const card = cardOf(page, DATABASE);
    await editSecret(DATABASE, WRONG);
    await card.getByRole("button", { name: "Verify Now" }).click();
    const reason =
      `${postgresql.host}:${postgresql.port} did not accept the password for ${role.username}. ` +
      "Possible causes: wrong password, unknown role, or VALID UNTIL has passed.";
    await seesToast(page, `Verification failed for "${DATABASE}": ${reason}`);
    await card.getByText("Rejected", { exact: true }).first().waitFor();
    await card.getByText(reason, { exact: true }).waitFor();
    await inspectScreen(page, "vault-failed");
    await editSecret(DATABASE, role.password);
    await card.getByRole("button", { name: "Verify Now" }).click();
    await seesToast(page, `Verification successful for "${DATABASE}"`);
  });

  step("Strongroom also verifies a Unix account over SSH", needs(unixUsersAvailable()), async () => {
    const target = await startSshd();
    sshd = target;
    const { username, password } = await target.addUser();
    await addCredential(page, { name: HOST, username, host: target.host, port: target.port, secret: password });
    const card = cardOf(page, HOST);
    await card.getByRole("button", { name: "Verify Now" }).click();
    await seesToast(page, `Verification successful for "${HOST}"`);
    await becomes(() => new RegExp(`Accepted \\S+ for ${username}`).test(target.log()), true);
  });

  step("Strongroom also verifies a MariaDB account", needs(mariadbAvailable()), async () => {
    mariadb = await startMariadb();
    const { username, password } = await mariadb.addUser();
    const { host, port } = mariadb;
    await addCredential(page, {
      name: SHOP,
      type: "MySQL/MariaDB",
      username,
      host,
      port,
      secret: password,
      database: "app",
      environment: "Staging",
    });
    const card = cardOf(page, SHOP);
    await card.getByRole("button", { name: "Verify Now" }).click();
    await seesToast(page, `Verification successful for "${SHOP}"`);
    await inspectScreen(page, "vault-list");
  });

  step("VAULT-15, VAULT-34: Copy puts the secret on the clipboard and nowhere else", async () => {
    await cardOf(page, DATABASE).getByRole("button", { name: "Copy", exact: true }).click();
    await seesToast(page, "Password copied to clipboard!");
    await clipboardHolds(page, role.password);
    await assertHoldsNoSecret(page, role.password);
    assert.equal(server.output().includes(role.password), false, "the server's log does not hold it");
  });

  step("VAULT-12, VAULT-13: the quick view shows the status, and its history contains the copy event", async () => {
    await cardOf(page, DATABASE).getByRole("button", { name: "Quick View" }).click();
    const dialog = dialogOf(page, "Credential Details");
    await dialog.getByRole("heading", { name: "Verification Status" }).waitFor();
    await dialog.getByText("Credential revealed", { exact: true }).waitFor();
    await inspectScreen(page, "quick-view");
    await dialog.getByRole("button", { name: "Refresh" }).click();
    await dialog.getByRole("button", { name: "Copy Password" }).click();
    await seesToast(page, "Password copied to clipboard!");
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await dialog.waitFor({ state: "detached" });
  });

  step("the audit trail contains the copy events and is intact", async () => {
    await page.getByRole("link", { name: "Audit Logs" }).click();
    await seesHeading(page, "Audit Logs");
    const reveals = page.getByRole("listitem").filter({ hasText: "Credential revealed" }).filter({ hasText: DATABASE });
    await reveals.nth(1).waitFor();
    await inspectScreen(page, "audit-logs");
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.getByText("The audit trail is intact", { exact: true }).waitFor();
    await assertHoldsNoSecret(page, role.password);
  });

  step("DASH-03, DASH-04: the dashboard counts the credentials", async () => {
    await page.getByRole("link", { name: "Dashboard", exact: true }).click();
    await seesHeading(page, "Dashboard");
    const total = 1 + (sshd === null ? 0 : 1) + (mariadb === null ? 0 : 1);
    await page.getByRole("article", { name: "Total Credentials" }).getByText(String(total), { exact: true }).waitFor();
    await inspectScreen(page, "dashboard");
  });

  step("VAULT-37 to VAULT-48: the detail page shows every field and can copy them", async () => {
    await page.getByRole("link", { name: "Credential Vault" }).click();
    await cardOf(page, DATABASE).getByRole("link", { name: "Details" }).click();
    await page.waitForURL(/\/vault\/[0-9a-f-]{36}$/);
    await seesHeading(page, DATABASE);
    for (const section of ["Credential Information", "Connection Information", "Verification Status", "Audit Logs"]) {
      await seesHeading(page, section);
    }
    await inspectScreen(page, "credential-detail");
    await page.evaluate(() => navigator.clipboard.writeText("something else"));
    await page.getByRole("button", { name: "Copy Password" }).click();
    await seesToast(page, "Password copied to clipboard!");
    await clipboardHolds(page, role.password);
    await page.getByRole("button", { name: "Verify Now" }).click();
    await seesToast(page, "Verification completed successfully");
  });

  step("VAULT-49: the rotate dialog explains rotation", async () => {
    await page.getByRole("button", { name: "Rotate Password" }).click();
    const dialog = dialogOf(page, "Rotate Password");
    await becomes(
      () => dialog.getByRole("listitem").allInnerTexts(),
      [
        "A new password will be generated",
        "The target system will be updated",
        "The old password will be invalidated",
        "It cannot be undone",
        "It may take a few minutes",
      ],
    );
    await dialog.getByText("You will be notified when it is finished.", { exact: true }).waitFor();
    await inspectScreen(page, "rotate-dialog");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  step("OPEN-56: Edit Credential changes fields and keeps the secret", async () => {
    await page.getByRole("button", { name: "Edit Credential" }).click();
    const dialog = dialogOf(page, "Edit Credential");
    await becomes(() => secretField(dialog).inputValue(), "");
    await inspectScreen(page, "edit-credential");
    await fillCredential(dialog, { name: `${DATABASE} 2`, environment: "Development" });
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await seesToast(page, `"${DATABASE} 2" updated successfully`);
    await seesHeading(page, `${DATABASE} 2`);
    await page.getByRole("button", { name: "Copy Password" }).click();
    await seesToast(page, "Password copied to clipboard!");
    await clipboardHolds(page, role.password);
  });

  step("VAULT-50, VAULT-51: deleting on the detail page lists the effects and then returns to the vault", async () => {
    await page.getByRole("button", { name: "Delete Credential" }).click();
    const dialog = dialogOf(page, "Delete Credential");
    await becomes(
      () => dialog.getByRole("listitem").allInnerTexts(),
      [
        "It permanently removes the credential.",
        "It deletes all associated audit logs. The tamper-evident audit trail keeps a record of the deletion.",
        "It cannot be undone.",
      ],
    );
    await inspectScreen(page, "delete-dialog-detail");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await seesToast(page, `"${DATABASE} 2" deleted successfully`);
    await isAt(page, "/vault");
    await cardOf(page, `${DATABASE} 2`).waitFor({ state: "detached" });
  });

  step(
    "VAULT-17, VAULT-18, VAULT-26: deleting in the list asks for confirmation first, and Cancel keeps the credential",
    async () => {
      const name = "Spare token";
      await addCredential(page, { name, type: "API Token", secret: "a token nobody uses" });
      const card = cardOf(page, name);
      await chooseOn(page, name, "Delete");
      const dialog = dialogOf(page, "Delete Credential");
      await dialog
        .getByText(
          "This action cannot be undone. It permanently removes the credential and all associated data. " +
            "The tamper-evident audit trail keeps a record of the deletion.",
          { exact: true },
        )
        .waitFor();
      await inspectScreen(page, "delete-dialog-list");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      await chooseOn(page, name, "Delete");
      await dialog.getByRole("button", { name: "Delete", exact: true }).click();
      await seesToast(page, `"${name}" deleted successfully`);
      await card.waitFor({ state: "detached" });
    },
  );

  step("SHELL-26, SHELL-27: Sign Out shows a message, opens /login, and clears all data", async () => {
    await page.getByRole("button", { name: "Sign Out" }).click();
    await seesToast(page, "Signed out successfully");
    await isAt(page, "/login");
    await becomes(async () => {
      const left = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
      return left.filter((key) => /token|auth$/.test(key));
    }, []);
    await page.goto("/vault");
    await isAt(page, "/auth");
    assertNoErrors(visit);
  });

  async function editSecret(name: string, secret: string): Promise<void> {
    await cardOf(page, name).getByRole("button", { name: "Edit" }).click();
    const dialog = dialogOf(page, "Edit Credential");
    await fillCredential(dialog, { name, secret });
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await seesToast(page, `"${name}" updated successfully`);
    await dialog.waitFor({ state: "detached" });
  }
});
