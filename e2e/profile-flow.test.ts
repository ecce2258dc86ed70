// Tests the profile page in a real browser: name, sessions, the life of an API token, and a machine identity.
import { listCredentials, listOwnTokens } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

describe("the profile page and API tokens", { skip: noBrowser }, () => {
  let server: RunningServer;
  let browser: Browser;
  let admin: Person;
  let visit: Visit;
  let page: Page;
  let token: string;
  const step = steps(() => page);
  const asToken = () => send(server.url, listCredentials, {}, token);

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
    "SHELL-22, OPEN-29: Profile in the top bar opens the profile page, and a new name appears in the bar immediately",
    async () => {
      await signIn(page, admin, "/");
      await page.getByRole("link", { name: "Profile", exact: true }).click();
      await seesHeading(page, "Profile");
      const you = page.getByRole("region", { name: "Your Details", exact: true });
      await you.getByText("Password", { exact: true }).waitFor();
      await you.getByRole("button", { name: "Change Name" }).click();
      await you.getByRole("textbox", { name: "Name" }).fill("Ada Lovelace");
      await page.keyboard.press("Enter");
      await seesToast(page, "Name changed");
      await page.getByRole("banner").getByText("Ada Lovelace").waitFor();
      await page.reload();
      await you.getByText("Ada Lovelace", { exact: true }).waitFor();
    },
  );

  step("a button ends every other session and keeps this one", async () => {
    const elsewhere = await tokenOf(server, admin);
    await page.reload();
    await page.getByRole("button", { name: "End All Others" }).click();
    await dialogOf(page, "End All Other Sessions").getByRole("button", { name: "End All Others" }).click();
    await seesToast(page, "1 session ended.");
    assert.equal((await send(server.url, listCredentials, {}, elsewhere)).status, 401);
    await page.getByRole("region", { name: "Your Sessions" }).getByText("This session").waitFor();
  });

  step("a user creates an API token with the keyboard; the token is shown once and works for its scope", async () => {
    await page.getByRole("button", { name: "Create Token" }).click();
    const dialog = dialogOf(page, "Create Token");
    await dialog.getByRole("textbox", { name: "Name" }).waitFor();
    await page.keyboard.type("Nightly export");
    await dialog.getByRole("radio", { name: "Custom" }).check();
    await dialog.getByRole("combobox", { name: "Scopes" }).fill("List cred");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await inspectScreen(page, "token-form");
    await dialog.getByRole("button", { name: "Create Token" }).click();
    const shown = dialogOf(page, "Your New Token");
    token = (await shown.getByLabel("API token", { exact: true }).innerText()).trim();
    assert.match(token, /^srt_[0-9A-Za-z]{49}$/);
    await shown.getByRole("button", { name: "Copy API token" }).click();
    await becomes(() => page.evaluate(() => navigator.clipboard.readText()), token);
    await shown.getByRole("button", { name: "Done" }).click();
    assert.equal((await asToken()).status, 200);
    assert.equal((await send(server.url, listOwnTokens, {}, token)).status, 403);
    await page.reload();
    const card = page.getByRole("region", { name: "API Tokens" });
    await card.getByText("List credentials").waitFor();
    await card.getByText(/Last used: Just now from/).waitFor();
    assert.ok(!(await page.content()).includes(token));
    await inspectScreen(page, "profile");
  });

  step("a revoked token is refused immediately", async () => {
    await page.getByRole("button", { name: "Revoke Nightly export" }).click();
    await dialogOf(page, "Revoke Token").getByRole("button", { name: "Revoke" }).click();
    await seesToast(page, "Token revoked");
    assert.equal((await asToken()).status, 401);
    assert.ok(!server.output().includes(token.slice(4, 47)), "a log holds no token");
  });

  step("an administrator creates a machine identity with a responsible user and a token", async () => {
    await page.goto("/admin?tab=machines");
    await page.getByText("No machine identities", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const dialog = dialogOf(page, "Create Machine Identity");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Build server");
    await dialog.getByRole("combobox", { name: "Responsible person or group" }).fill("Ada");
    await page.getByRole("option", { name: /Ada Lovelace/ }).click();
    await dialog.getByRole("button", { name: "Create" }).click();
    await seesToast(page, "Machine identity created");
    await page.getByRole("button", { name: "Actions for Build server" }).click();
    await page.getByRole("menuitem", { name: "Tokens" }).click();
    await dialogOf(page, "Tokens of Build server").getByRole("button", { name: "Create Token" }).click();
    const form = dialogOf(page, "Create Token for Build server");
    await form.getByRole("textbox", { name: "Name" }).fill("Pipeline");
    await form.getByRole("button", { name: "Create Token" }).click();
    const shown = dialogOf(page, "Your New Token");
    await shown.getByText(/^srt_/).waitFor();
    await shown.getByRole("button", { name: "Done" }).click();
    const tokens = dialogOf(page, "Tokens of Build server");
    await tokens.getByText("Machine: Build server").waitFor();
    await tokens.getByRole("button", { name: "Close" }).click();
    await page.getByText(/1 active token/).waitFor();
    await inspectScreen(page, "machine-identities");
    const own = await ask(server.url, listOwnTokens, {}, await tokenOf(server, admin));
    assert.ok(own.data.some(({ holder }) => holder.kind === "machine"));
    assertNoErrors(visit);
  });
});
