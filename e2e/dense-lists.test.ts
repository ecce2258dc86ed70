// The dense tables of the vault, the users, the access requests, the discovery targets and their scans in a real browser, with
// more than 20 rows and a long name, and lists in a window of 1024 pixels.
import {
  createAccessRequest,
  createAccount,
  createCredential,
  createDiscoveryTarget,
  createSafe,
  inviteUser,
  listPlatforms,
} from "@strongroom/contract";
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { chooseFor, dialogOf, seesToast, signIn, textField } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const LONG = "a-name-of-seventy-characters-for-the-primary-database-of-the-order-team";
const ENVIRONMENTS = ["production", "staging", "development"] as const;
const nameAt = (index: number) => (index === 3 ? LONG : `item ${String(index).padStart(2, "0")}`);

/** 24 targets on one account; nothing logs in to them. */
async function fillTargets({ url }: RunningServer, token: string): Promise<void> {
  const { platforms } = await ask(url, listPlatforms, {}, token);
  const safe = await ask(url, createSafe, { body: { name: "Web servers" } }, token);
  const body = {
    name: LONG,
    system_type: "Linux",
    hostname: `${LONG}.example.com`,
    username: "scanner",
    password: "an example",
    platform_id: platforms.find(({ name }) => name === "Linux")!.id,
    safe_id: safe.id,
    connection_method: "SSH",
  } as const;
  const { id: credentialId } = await ask(url, createAccount, { body }, token);
  for (let place = 0; place < 24; place += 1) {
    const name = nameAt(place);
    const hostname = `${name.replaceAll(" ", "-")}.example.com`;
    const kind = { targetType: "linux", connectionMethod: "ssh", safeId: safe.id, credentialId } as const;
    await ask(url, createDiscoveryTarget, { body: { ...kind, name, hostname, settings: {} } }, token);
  }
}

describe("dense lists", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    const admin = await firstAdmin(server);
    const token = await tokenOf(server, admin);
    const { url } = server;
    for (let index = 0; index < 24; index += 1) {
      const name = nameAt(index);
      const environment = ENVIRONMENTS[index % 3]!;
      const stored = {
        name,
        type: "application",
        username: `svc-${index}`,
        value: `a value of ${index}`,
        environment,
      } as const;
      await ask(url, createCredential, { body: stored }, token);
      await ask(url, inviteUser, { body: { email: `user${index}@example.com`, name, by: "link" } }, token);
    }
    // A user can have ten open requests.
    for (const email of ["rita@example.com", "ron@example.com", "rosa@example.com"]) {
      const requester = await tokenOf(server, await aUser(server, email));
      for (let index = 0; index < 8; index += 1) {
        const body = { resource: nameAt(index), reason: `Deploy change ${index}`, durationMinutes: 60 };
        await ask(url, createAccessRequest, { body }, requester);
      }
    }
    await fillTargets(server, token);
    visit = await visitor(browser, url);
    page = visit.page;
    await signIn(page, admin, "/vault");
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  step("the vault is a table that sorts on the server", async () => {
    const table = page.getByRole("table", { name: "Credentials" });
    await table.getByRole("button", { name: "Name", exact: true }).click();
    await page.waitForURL(/sort=name/);
    await table.getByRole("rowheader").first().filter({ hasText: LONG }).waitFor();
    const names = await table.getByRole("rowheader").allTextContents();
    assert.deepEqual(names.slice(0, 3), [LONG, "item 00", "item 01"]);
    await inspectScreen(page, "vault-table");
  });

  step("users are a table with a menu for each row", async () => {
    await page.goto("/admin");
    const table = page.getByRole("table", { name: "Users" });
    await table.getByRole("button", { name: "User", exact: true }).click();
    await page.waitForURL(/sort=name/);
    await table.getByRole("rowheader").first().filter({ hasText: LONG }).waitFor();
    await inspectScreen(page, "users-table");
    await page.getByRole("button", { name: "Actions for item 00" }).click();
    await page.getByRole("menuitem", { name: "Make Manager" }).click();
    await dialogOf(page, "Change item 00's Role to Manager").getByRole("button", { name: "Cancel" }).click();
  });

  step("access requests are a table, in which a request is denied", async () => {
    await page.goto("/jit-access");
    const table = page.getByRole("table", { name: "Access requests" });
    await table.waitFor();
    const byRequester = table.getByRole("button", { name: "Requester", exact: true });
    await byRequester.click();
    await page.waitForURL(/sort=requester/);
    await table.getByRole("row").nth(1).filter({ hasText: "rita" }).waitFor();
    await byRequester.click();
    await page.waitForURL(/sort=-requester/);
    await table.getByRole("row").nth(1).filter({ hasText: "rosa" }).waitFor();
    await inspectScreen(page, "requests-table");
    await table.getByRole("button", { name: "Actions for item 07 for rosa" }).click();
    await page.getByRole("menuitem", { name: "Deny" }).click();
    const dialog = dialogOf(page, "Deny Request");
    await textField(dialog, "Comment").fill("Not today");
    await dialog.getByRole("button", { name: "Deny" }).click();
    await seesToast(page, "Request denied");
    await table.getByRole("button", { name: "Actions for item 07 for rosa" }).waitFor({ state: "detached" });
  });

  step("DISC-10: discovery targets are a table with search, filters and both scans", async () => {
    await page.goto("/discovery");
    const table = page.getByRole("table", { name: "Discovery targets" });
    await table.getByRole("button", { name: "Host", exact: true }).click();
    await page.waitForURL(/sort=host/);
    await table.getByRole("rowheader").first().filter({ hasText: LONG }).waitFor();
    await inspectScreen(page, "targets-table");
    await page.getByRole("searchbox", { name: "Search discovery targets" }).fill("item 07");
    await table.getByRole("button", { name: "Scan item 08" }).waitFor({ state: "detached" });
    await table.getByRole("button", { name: "Enhanced scan of item 07" }).click();
    await dialogOf(page, "Enhanced Security Discovery Scan").getByRole("button", { name: "Cancel" }).click();
    await chooseFor(page, "item 07", "Disable");
    await seesToast(page, "Discovery target disabled successfully");
    await table.getByText("Inactive", { exact: true }).waitFor();
    await table.getByRole("button", { name: "item 07", exact: true }).click();
    await dialogOf(page, "Target Details").getByText("item-07.example.com").waitFor();
    await inspectScreen(page, "target-details");
  });

  step("selected targets are scanned together, and the disabled one is skipped with the reason", async () => {
    await page.goto("/discovery");
    for (const name of ["item 07", "item 08"]) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    const bar = page.getByRole("region", { name: "Selected targets" });
    await bar.getByText("2 targets selected").waitFor();
    await inspectScreen(page, "targets-selected");
    await bar.getByRole("button", { name: "Enhanced Scan" }).click();
    const enhanced = dialogOf(page, "Enhanced Security Discovery Scan");
    await enhanced.getByText("Scans 2 targets with the same configuration").waitFor();
    await inspectScreen(page, "targets-enhanced-scan");
    await enhanced.getByRole("button", { name: "Cancel" }).click();
    await bar.getByRole("button", { name: "Select All 24 Matching" }).click();
    await bar.getByText("24 targets selected").waitFor();
    await bar.getByRole("button", { name: "Scan", exact: true }).click();
    const basic = dialogOf(page, "Configure Discovery Scan");
    await inspectScreen(page, "targets-scan");
    await basic.getByRole("button", { name: "Start 24 Scans" }).click();
    const skipped = dialogOf(page, "Some Targets Were Skipped");
    await skipped.getByText("23 started").waitFor();
    await skipped.getByText('"item 07" is disabled. Enable it before you scan it.').waitFor();
    await inspectScreen(page, "targets-skipped");
    await skipped.getByRole("button", { name: "Close" }).last().click();
    await bar.waitFor({ state: "detached" });
  });

  step("scans are a table that sorts on the server, and at 360 pixels rows with a choice of the order", async () => {
    await page.goto("/discovery?tab=scans");
    const table = page.getByRole("table", { name: "Scans", exact: true });
    await table.getByRole("button", { name: "Target", exact: true }).click();
    await page.waitForURL(/sort=target/);
    await table.getByRole("rowheader").first().filter({ hasText: LONG }).waitFor();
    await inspectScreen(page, "scans-table");
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole("combobox", { name: "Order" }).click();
    await page.getByRole("option", { name: "Target, descending" }).click();
    await page.waitForURL(/sort=-target/);
    await page
      .getByRole("list", { name: "Scans" })
      .getByRole("listitem")
      .first()
      .filter({ hasText: "item 23" })
      .waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await table.getByRole("button", { name: "Actions for the scan of item 23" }).click();
    await page.getByRole("menuitem", { name: "Details" }).click();
    await dialogOf(page, "Scan Details").getByText("item-23.example.com", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
  });

  step("at 1024 pixels, lists fit beside the sidebar, and no text is squeezed to a column of letters", async () => {
    await page.setViewportSize({ width: 1024, height: 900 });
    for (const path of [
      "/accounts?layout=table",
      "/discovery?layout=table",
      "/discovery?tab=scans&layout=table",
      "/admin/platforms",
      "/admin?tab=jobs",
      "/audit-logs",
      "/access-control?tab=things",
    ]) {
      await page.goto(path);
      await page.getByRole("row").nth(1).or(page.getByText("View details")).first().waitFor();
      assert.deepEqual(await page.evaluate(misfits), [], path);
    }
    assertNoErrors(visit);
  });
});

/** Runs in the page: lists that scroll sideways, and texts in a column narrower than a short word. */
function misfits(): string[] {
  const inMain = (selector: string) => [...document.querySelectorAll<HTMLElement>(`main ${selector}`)];
  const scrolling = inMain("[role=rowgroup], :has(> table)").filter((each) => each.scrollWidth > each.clientWidth + 1);
  const squeezed = inMain("*").filter((each) => {
    const isText = [...each.childNodes].some(
      ({ nodeType, textContent }) => nodeType === 3 && textContent!.trim().length >= 8,
    );
    const { width, height } = each.getBoundingClientRect();
    return isText && width < 24 && height > 60;
  });
  return [
    ...scrolling.map((each) => `scrolls: ${each.textContent.slice(0, 40)}`),
    ...squeezed.map((each) => `squeezed: ${each.textContent.slice(0, 40)}`),
  ];
}
