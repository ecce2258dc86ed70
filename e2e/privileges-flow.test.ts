// Privileges in a real browser: hosts of the company are scanned, and a manager follows a shared key to its accounts.
import {
  createAccount,
  createDiscoveryTarget,
  createSafe,
  listPlatforms,
  readDiscoveryScan,
  startDiscoveryScan,
} from "@strongroom/contract";
import {
  companyKeys,
  linuxHosts,
  needs,
  setupOf,
  startUnixHost,
  unixHostAvailable,
} from "@strongroom/connectors/testing";
import type { UnixHost } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { dialogOf, seesHeading, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const HOSTS = ["web1", "web2", "web3", "db2"];

describe("privileges", needs(noBrowser === false ? unixHostAvailable() : noBrowser), () => {
  let server: RunningServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  const hosts: UnixHost[] = [];
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    await firstAdmin(server);
    const manager = await aUser(server, "mona@example.com");
    const token = await tokenOf(server, manager);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const safe = await ask(server.url, createSafe, { body: { name: "Web servers" } }, token);
    const planned = linuxHosts(await companyKeys()).filter(({ name }) => HOSTS.includes(name));
    for (const each of planned) {
      const host = await startUnixHost(each.name, setupOf(each));
      hosts.push(host);
      const account = {
        name: `${host.name} scanner`,
        system_type: "Linux",
        hostname: host.host,
        port: host.port,
        ...host.scanner,
        platform_id: platforms.find(({ name }) => name === "Linux")!.id,
        safe_id: safe.id,
        connection_method: "SSH",
      } as const;
      const { id } = await ask(server.url, createAccount, { body: account }, token);
      const target = {
        name: host.name,
        targetType: "linux",
        connectionMethod: "ssh",
        hostname: host.host,
        credentialId: id,
        safeId: safe.id,
        settings: { port: host.port, timeout: 60_000 },
      } as const;
      const made = await ask(server.url, createDiscoveryTarget, { body: target }, token);
      const body = { scanSettings: { timeout: 120_000 } };
      const scan = await ask(server.url, startDiscoveryScan, { params: { id: made.id }, body }, token);
      for (;;) {
        const { status } = await ask(server.url, readDiscoveryScan, { params: { id: scan.id } }, token);
        if (status === "completed") break;
        assert.notEqual(status, "failed");
        await delay(100);
      }
    }
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, manager);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    for (const host of hosts) await host.stop();
  });

  step("a shared key shows the accounts that it opens, and what they reach, as a picture and a table", async () => {
    await page.goto(`${server.url}/discovery?tab=accounts&view=keys`);
    await seesHeading(page, "Discovery Scan");
    await page.getByText("Opens 3 accounts on 3 systems").waitFor();
    await inspectScreen(page, "discovery-keys");
    await page.getByRole("button", { name: "Show paths of deploy@ci" }).click();
    const dialog = dialogOf(page, "Paths of deploy@ci");
    await dialog.getByRole("table", { name: "Steps" }).waitFor();
    await inspectScreen(page, "discovery-key-paths");
    await dialog.getByText("Reached by").click();
    await dialog.getByRole("row", { name: /grace/ }).waitFor();
    await page.keyboard.press("Escape");
  });

  step("the details of an account explain its privilege and show who can become it", async () => {
    await page.getByRole("radiogroup", { name: "View" }).getByText("Accounts").click();
    await page.getByRole("button", { name: /^Details of alice/ }).click();
    const details = dialogOf(page, "Account Details");
    await details.getByText(/alice can run every command as root with sudo through group ops/).waitFor();
    await inspectScreen(page, "discovery-privileges");
    await details.getByRole("button", { name: "Show Paths" }).click();
    const paths = dialogOf(page, "Paths of alice");
    await paths.getByText(/full control of 1 system/).waitFor();
    await inspectScreen(page, "discovery-account-paths");
  });

  step("nothing went wrong on the way", async () => assertNoErrors(visit));
});
