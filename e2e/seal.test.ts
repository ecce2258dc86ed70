// Tests a vault sealed by a passphrase: no user can sign in until it is unsealed, and then all users continue.
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { firstAdmin } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, isAt, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const PASSPHRASE = "seven dull badgers sign the ledger";

describe("a vault sealed by a passphrase", needs(noBrowser || null), () => {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-passphrase-"));
  let server: RunningServer;
  let browser: Browser;
  let admin: Person;
  let visit: Visit;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    const file = join(folder, "passphrase");
    writeFileSync(file, `${PASSPHRASE}\n`, { mode: 0o600 });
    const first = await startServer({ STRONGROOM_SEAL: "passphrase", STRONGROOM_PASSPHRASE_FILE: file });
    admin = await firstAdmin(first);
    await first.stop();
    browser = await launchBrowser();
    server = await startServer({ STRONGROOM_SEAL: "passphrase" }, first.dataFolder);
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  step("is sealed after a start, and redirects every visitor to the seal page", async () => {
    const answer = await fetch(`${server.url}/api/v1/auth/entrance`);
    assert.equal(answer.status, 503);
    await page.goto("/login");
    await isAt(page, "/unseal");
    await seesHeading(page, "The vault is sealed");
    await inspectScreen(page, "unseal");
  });

  step("a wrong passphrase does not unseal the vault", async () => {
    await page.getByLabel("Passphrase").and(page.locator("input")).fill("not the passphrase");
    await page.getByRole("button", { name: "Unseal" }).click();
    await page.locator(".mantine-InputWrapper-error").waitFor();
    await isAt(page, "/unseal");
    await inspectScreen(page, "unseal-refused");
  });

  step("the right passphrase unseals the vault and returns to the requested page", async () => {
    await page.getByLabel("Passphrase").and(page.locator("input")).fill(PASSPHRASE);
    await page.getByRole("button", { name: "Unseal" }).click();
    await seesToast(page, "The vault is unsealed.");
    await isAt(page, "/login");
    await signIn(page, admin);
  });

  step("an administrator seals the vault, and an open page shows this immediately", async () => {
    await page.goto("/admin?tab=keys");
    await page.getByRole("button", { name: "Seal the Vault" }).click();
    await dialogOf(page, "Seal the Vault").getByRole("button", { name: "Seal the Vault" }).click();
    await isAt(page, "/unseal");
    await page.getByLabel("Passphrase").and(page.locator("input")).fill(PASSPHRASE);
    await page.getByRole("button", { name: "Unseal" }).click();
    await isAt(page, "/admin?tab=keys");
    await seesHeading(page, "Admin Console");
    assert.equal(server.output().includes(PASSPHRASE), false);
    assertNoErrors(visit);
  });
});
