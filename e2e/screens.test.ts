// Tests every route: access, content, appearance and keyboard use.
import { needs } from "@strongroom/connectors/testing";
import { createCredential } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { becomes } from "./testing/becomes.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { isAt, seesHeading, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

/** SHELL-06, SHELL-07, and the links of the top bar. */
const PROTECTED: readonly [path: string, heading: string][] = [
  ["/", "Dashboard"],
  ["/accounts", "Account Management"],
  ["/validation-dashboard", "Validation Dashboard"],
  ["/safes", "Safes Management"],
  ["/vault", "Credential Vault"],
  ["/vault/00000000-0000-4000-8000-000000000000", "Credential Not Found"],
  ["/discovery", "Discovery Scan"],
  ["/cpm-dashboard", "CPM Dashboard"],
  ["/jit-access", "Just-in-Time Access"],
  ["/jit-access/00000000-0000-4000-8000-000000000000", "Request Not Found"],
  ["/sessions", "Session Monitoring"],
  ["/access-control", "Access Control"],
  ["/integrations", "Integrations"],
  ["/audit-logs", "Audit Logs"],
  ["/admin", "Admin Console"],
  ["/cpm-test", "CPM Integration Testing"],
  ["/profile", "Profile"],
  ["/notifications", "Notifications"],
  ["/settings", "Settings"],
  ["/help", "Help"],
];

const PUBLIC: readonly [path: string, heading: string][] = [
  ["/auth", "Sign In to Strongroom"],
  ["/login", "Sign In to Strongroom"],
  ["/signup", "Get Started"],
  ["/signup-new", "Get Started"],
  ["/loading-demo", "Loading animations"],
  ["/component-demo", "Components"],
  ["/inactivity-test", "Inactivity logout test"],
];

/** SHELL-14, without the screens that are not built yet. */
const SIDEBAR = [
  "Dashboard",
  "Accounts",
  "Validation Dashboard",
  "Safes",
  "Credential Vault",
  "Discovery",
  "CPM Dashboard",
  "JIT Access",
  "Session Monitoring",
  "Access Control",
  "Integrations",
  "Audit Logs",
  "Admin Console",
];

describe("every screen", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let admin: Person;
  let visit: Visit;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  step(
    "SHELL-02, SHELL-06 to SHELL-09, OPEN-23, OPEN-25: every protected route redirects visitors to sign-in",
    async () => {
      for (const [path = "/"] of [...PROTECTED, ["/credential-vault"], ["/no-such-place"]]) {
        await page.goto(path);
        await isAt(page, "/auth");
      }
    },
  );

  step("SHELL-04, SHELL-05, OPEN-11, OPEN-24: sign-in, sign-up and demo pages are public", async () => {
    for (const [path, heading] of PUBLIC) {
      await page.goto(path);
      await seesHeading(page, heading);
      await isAt(page, path);
    }
  });

  step("SHELL-08, OPEN-26: an unknown path redirects to /, and /credential-vault to /vault", async () => {
    await signIn(page, admin);
    await page.goto("/no-such-place");
    await isAt(page, "/");
    await page.goto("/credential-vault");
    await isAt(page, "/vault");
  });

  step("SHELL-12, SHELL-14 to SHELL-16: the sidebar lists its entries in order, with the group open", async () => {
    const navigation = page.getByRole("navigation", { name: "Main" });
    await becomes(() => navigation.getByRole("link").allInnerTexts(), SIDEBAR);
    await navigation.getByRole("button", { name: "Accounts", expanded: true }).waitFor();
    await page.getByText("Security Platform", { exact: true }).waitFor();
  });

  step("SHELL-11: at 360 pixels the sidebar slides in, and closes after a choice", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole("button", { name: "Open navigation" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("link", { name: "Integrations" }).click();
    await isAt(page, "/integrations");
    await drawer.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  step("Tab reaches every control of the shell, and the first stop skips to the content", async () => {
    await page.goto("/settings");
    await seesHeading(page, "Settings");
    const reached: string[] = [];
    for (let stop = 0; stop < 24; stop += 1) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ""));
    }
    assert.equal(reached[0], "Skip to content");
    for (const name of [...SIDEBAR, "Profile", "Notifications", "Settings", "Help", "Sign Out"]) {
      assert.ok(reached.includes(name), `${name} is reached by Tab`);
    }
  });

  for (const [path, heading] of PROTECTED) {
    const name = path.replaceAll(/\W+/g, "-").replace(/^-/, "") || "home";
    step(`${path} shows ${heading}, at both widths and in both colour schemes`, async () => {
      await page.goto(path);
      await seesHeading(page, heading);
      await inspectScreen(page, `screen-${name}`);
    });
  }

  step(
    "the demo pages pass at both widths and in both colour schemes, with no script or policy error anywhere",
    async () => {
      for (const [path, heading] of [
        ["/loading-demo", "Loading animations"],
        ["/component-demo", "Components"],
      ] as const) {
        await page.goto(path);
        await seesHeading(page, heading);
        await inspectScreen(page, `screen${path.replace("/", "-")}`, { isLoading: path === "/loading-demo" });
      }
      assertNoErrors(visit);
    },
  );

  step("DEMO-13, DEMO-14: Run All Tests runs each test against the real server, and all pass", async () => {
    const token = await tokenOf(server, admin);
    const body = { name: "For the tests", type: "application" as const, username: "service", value: "an old secret" };
    const { id } = await ask(server.url, createCredential, { body }, token);
    await page.goto("/cpm-test");
    await seesHeading(page, "CPM Integration Testing");
    await becomes(() => page.getByLabel("Test credential ID").inputValue(), id);
    await page.getByRole("button", { name: "Run All Tests" }).click();
    const tests = page.getByRole("main").getByRole("listitem");
    await tests.nth(1).getByText("Not run", { exact: true }).waitFor();
    for (let place = 0; place < 7; place += 1) await tests.nth(place).getByText("Passed", { exact: true }).waitFor();
    assert.equal(await tests.count(), 7);
    await page.getByRole("button", { name: "Run All Tests" }).waitFor();
    await inspectScreen(page, "cpm-test-passed");
    assertNoErrors(visit);
  });
});
