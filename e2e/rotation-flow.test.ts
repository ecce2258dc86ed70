// Tests rotation on a real PostgreSQL from the browser: in the vault, for one account, for several accounts, and with waiting
// rotations.
import {
  addDependent,
  createAccount,
  createCredential,
  createSafe,
  listPlatforms,
  readAccount,
  revealCredential,
} from "@strongroom/contract";
import type { AccountId, CredentialId, PlatformId, Safe } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import pg from "pg";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { runSql } from "./testing/database.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { assertHoldsNoSecret, cardOf, dialogOf, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const unavailable = noBrowser === false ? postgresqlAvailable() : noBrowser;
const IN_VAULT = "Orders, as the app";
const SHARED = "Orders, as its owner";
const OTHERS = ["Reports", "Archive"];

interface DatabaseRole {
  username: string;
  password: string;
}

describe("rotation", needs(unavailable), () => {
  let server: RunningServer;
  let postgresql: PostgresqlServer;
  let browser: Browser;
  let owner: Person;
  let token: string;
  let visit: Visit;
  let page: Page;
  let safe: Safe;
  let platformId: PlatformId;
  let credential: { id: CredentialId; role: DatabaseRole };
  let account: { id: AccountId; role: DatabaseRole };
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, postgresql] = await Promise.all([startServer(), startPostgresql()]);
    owner = await firstAdmin(server);
    token = await tokenOf(server, owner);
    safe = await ask(server.url, createSafe, { body: { name: "Databases" } }, token);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    platformId = platforms.find(({ name }) => name === "PostgreSQL")!.id;
    credential = await inVault();
    account = await inSafe(SHARED);
    for (const name of OTHERS) await inSafe(name);
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, owner, `/vault/${credential.id}`);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), postgresql?.stop()]);
  });

  const place = () => ({ port: postgresql.port, database_name: "postgres", schema_name: "public" });

  async function inVault() {
    const role = await postgresql.addRole();
    const { username, password: value } = role;
    const body = { name: IN_VAULT, type: "postgresql" as const, username, value, host: postgresql.host, ...place() };
    return { id: (await ask(server.url, createCredential, { body }, token)).id, role };
  }

  async function inSafe(name: string, given?: DatabaseRole) {
    const role = given ?? (await postgresql.addRole());
    const how = {
      system_type: "postgresql",
      connection_method: "SQL",
      platform_id: platformId,
      safe_id: safe.id,
    } as const;
    const body = { name, hostname: postgresql.host, ...role, ...how, ...place() };
    return { id: (await ask(server.url, createAccount, { body }, token)).id, role };
  }

  /** Returns whether the real server accepts the password. */
  async function logsIn({ username }: DatabaseRole, password: string): Promise<boolean> {
    const { host, port } = postgresql;
    const client = new pg.Client({ host, port, user: username, password, database: "postgres", ssl: false });
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      assert.equal((error as { code?: string }).code, "28P01");
      return false;
    }
  }

  const storedOf = async (id: AccountId) =>
    (await ask(server.url, readAccount, { params: { id } }, token)).password ?? "";
  const panel = () => page.getByRole("region", { name: "Rotation", exact: true });
  const rotate = async () => {
    await page.getByRole("button", { name: "Rotate Password" }).click();
    await dialogOf(page, "Rotate Password").getByRole("button", { name: "Rotate Password" }).click();
  };
  const selectAndRotate = async (names: string[]) => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Select Multiple" }).click();
    for (const name of names) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    await page.getByRole("region", { name: "Selected accounts" }).getByRole("button", { name: "Rotate" }).click();
    const dialog = dialogOf(page, `Rotate ${names.length} accounts`);
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await dialog.waitFor({ state: "detached" });
  };

  step(
    "VAULT-32, VAULT-49: a vault rotation makes the target reject the old password and accept the new one",
    async () => {
      await seesHeading(page, IN_VAULT);
      await page.getByRole("button", { name: "Rotate Password" }).click();
      const dialog = dialogOf(page, "Rotate Password");
      await dialog.getByText("The target system will be updated", { exact: true }).waitFor();
      await dialog.getByRole("button", { name: "Rotate Password" }).click();
      await seesToast(page, `Rotation process initiated for "${IN_VAULT}"`);
      await panel().getByText("Rotated", { exact: true }).waitFor();
      const versions = page.getByRole("list", { name: "Versions" });
      await versions.getByText("Current version", { exact: true }).waitFor();
      await versions.getByRole("button", { name: "Copy version 1" }).waitFor();
      const { id, role } = credential;
      const { value } = await ask(server.url, revealCredential, { params: { id }, body: {} }, token);
      assert.deepEqual([await logsIn(role, role.password), await logsIn(role, value)], [false, true]);
      await assertHoldsNoSecret(page, value);
      assert.equal(server.output().includes(value), false, "the server's log does not hold it");
      const journal = page.getByRole("button", { name: "Journal" });
      if ((await journal.getAttribute("aria-expanded")) === "false") await journal.click();
      await page.getByRole("list", { name: "Journal" }).getByText("Activated", { exact: true }).first().waitFor();
    },
  );

  step("ACC-33: an account rotation keeps the earlier password and updates dependents", async () => {
    const twin = await inSafe("Orders, for the nightly job", account.role);
    const body = { name: "Nightly job", config: { kind: "account", account_id: twin.id } } as const;
    await ask(server.url, addDependent, { params: { id: account.id }, body }, token);
    await page.goto(`/accounts/${account.id}`);
    await seesHeading(page, SHARED);
    await rotate();
    await seesToast(page, `Rotation process initiated for "${SHARED}"`);
    await panel().getByText("Rotated", { exact: true }).waitFor();
    await page.getByRole("list", { name: "Versions" }).getByText("Version 1", { exact: true }).waitFor();
    const now = await storedOf(account.id);
    await becomes(() => storedOf(twin.id), now);
    await page.getByRole("list", { name: "Dependents" }).getByText("Up to date", { exact: true }).waitFor();
    assert.deepEqual(
      [await logsIn(account.role, account.role.password), await logsIn(account.role, now)],
      [false, true],
    );
  });

  step(
    "when a password was changed outside Strongroom, the rotation waits for a user, who stores the working password",
    async () => {
      const theirs = "set by somebody on the system";
      await postgresql.sql(`alter role "${account.role.username}" password '${theirs}'`);
      await rotate();
      // The server probes again after half a minute, in case the change arrives late.
      await panel().getByText("Waiting", { exact: true }).waitFor();
      await runSql(server, "update rotations set next_at = now() where step <> 'ended'");
      await panel().getByText("Needs attention", { exact: true }).waitFor();
      await panel().getByRole("button", { name: "Try Again" }).waitFor();
      await inspectScreen(page, "rotation-attention");
      await panel().getByRole("button", { name: "Store a Known Password" }).click();
      const form = dialogOf(page, "Store a Known Password");
      await form.locator('input[autocomplete="new-password"]').fill(theirs);
      await form.getByRole("button", { name: "Store Password" }).click();
      await panel().getByText("Replaced manually", { exact: true }).waitFor();
      await page.getByText("never verified", { exact: false }).first().waitFor();
      await rotate();
      await panel().getByText("Rotated", { exact: true }).waitFor();
      const now = await storedOf(account.id);
      assert.deepEqual([await logsIn(account.role, theirs), await logsIn(account.role, now)], [false, true]);
    },
  );

  step("the page follows several rotations to their end", async () => {
    await page.getByRole("link", { name: "Account Management" }).click();
    await cardOf(page, SHARED).waitFor();
    await selectAndRotate([SHARED, ...OTHERS]);
    const run = page.getByRole("region", { name: "Rotation completed" });
    await run.getByText("3 of 3 done · 3 rotated · 0 failed", { exact: true }).waitFor();
    await inspectScreen(page, "rotation-run");
    await run.getByRole("button", { name: "Dismiss" }).click();
    await run.waitFor({ state: "detached" });
  });

  step("rotations of an unreachable target wait, and stopping them keeps every password", async () => {
    const before = await storedOf(account.id);
    await postgresql.stop();
    await selectAndRotate([SHARED, ...OTHERS]);
    await cardOf(page, SHARED).getByText("Its password is being rotated.", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Rotation under way" }).getByRole("button", { name: "Stop" }).click();
    await page.getByRole("region", { name: "Rotation stopped" }).waitFor();
    await cardOf(page, SHARED).getByRole("link", { name: "Details" }).click();
    await seesHeading(page, SHARED);
    // A rotation may start at this moment, and would then continue.
    await rotate();
    await panel().getByText("Continues automatically at", { exact: false }).waitFor();
    await panel().getByRole("button", { name: "Cancel Rotation" }).click();
    await seesToast(page, `Rotation of "${SHARED}" cancelled`);
    await panel().getByText("Cancelled", { exact: true }).waitFor();
    assert.equal(await storedOf(account.id), before);
    assertNoErrors(visit);
  });
});
