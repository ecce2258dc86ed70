// Tests an open page without network or server: it shows the state and recovers automatically.
import { needs } from "@strongroom/connectors/testing";
import { CredentialEdit, createCredential, updateCredential } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { cardOf, isAt, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const OFFLINE =
  "You are offline. This page may be out of date, and changes cannot be saved until the connection is back.";
const NO_NETWORK = "Network error: Unable to connect to the server. Please check your connection.";
const NAMES = ["First credential", "Second credential"];

describe("a page whose server cannot be reached", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let admin: Person;
  let token: string;
  let visit: Visit;
  let page: Page;
  const ids: CredentialId[] = [];
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    token = await tokenOf(server, admin);
    for (const name of NAMES) {
      const body = { name, type: "application" as const, username: "service", value: "an old secret" };
      ids.push((await ask(server.url, createCredential, { body }, token)).id);
    }
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, admin, "/vault");
    await cardOf(page, NAMES[0] ?? "").waitFor();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  step("a notice is shown while the network is down", async () => {
    await visit.context.setOffline(true);
    await page.getByText(OFFLINE, { exact: true }).waitFor();
    await inspectScreen(page, "offline");
    await visit.context.setOffline(false);
    await page.getByText(OFFLINE, { exact: true }).waitFor({ state: "detached" });
  });

  step("ERR-06: an action without network fails with a message, and works after recovery", async () => {
    await visit.context.setOffline(true);
    const copy = cardOf(page, NAMES[0] ?? "").getByRole("button", { name: "Copy", exact: true });
    await copy.click();
    await seesToast(page, NO_NETWORK);
    await visit.context.setOffline(false);
    await copy.click();
    await seesToast(page, "Password copied to clipboard!");
  });

  step("HTTP-13: a read without network completes after recovery, without a reload", async () => {
    // The page's code is loaded by now.
    await cardOf(page, NAMES[0] ?? "")
      .getByRole("link", { name: "Details" })
      .click();
    await seesHeading(page, NAMES[0] ?? "");
    await page.goBack();
    await cardOf(page, NAMES[1] ?? "").waitFor();
    await visit.context.setOffline(true);
    await cardOf(page, NAMES[1] ?? "")
      .getByRole("link", { name: "Details" })
      .click();
    await page.getByText("Loading credential details...", { exact: true }).waitFor();
    await visit.context.setOffline(false);
    await seesHeading(page, NAMES[1] ?? "");
    await page.goBack();
    await isAt(page, "/vault");
  });

  const seesStatus = (text: string) =>
    page.getByRole("region", { name: "System Status" }).getByText(text, { exact: true }).waitFor();

  step("SHELL-13, OPEN-31: the status note changes as soon as the stream breaks", async () => {
    await seesStatus("All systems operational");
    await page.evaluate(() => Object.assign(window, { isStillTheSamePage: true }));
    await server.kill();
    await seesStatus("The server cannot be reached");
  });

  step("ERR-06: an action without server fails with a reason", async () => {
    await cardOf(page, NAMES[0] ?? "")
      .getByRole("button", { name: "Copy", exact: true })
      .click();
    await seesToast(page, NO_NETWORK);
    await inspectScreen(page, "server-gone");
  });

  step(
    "the page recovers automatically after a kill and restart, and shows the changes made in the meantime",
    async () => {
      const { port } = new URL(server.url);
      server = await startServer({ PORT: port }, server.dataFolder);
      // The page received no event for this change, because its stream was not connected yet.
      await rename(0, "Renamed while disconnected");
      await cardOf(page, "Renamed while disconnected").waitFor();
      await seesStatus("All systems operational");
      assert.equal(await page.evaluate(() => "isStillTheSamePage" in window), true);
    },
  );

  step("the session continues, and live events arrive again", async () => {
    await rename(1, "Renamed before its eyes");
    await cardOf(page, "Renamed before its eyes").waitFor();
    await cardOf(page, "Renamed before its eyes").getByRole("button", { name: "Copy", exact: true }).click();
    await seesToast(page, "Password copied to clipboard!");
    assert.equal(await page.evaluate(() => "isStillTheSamePage" in window), true);
    assertNoErrors(visit);
  });

  async function rename(place: number, name: string): Promise<void> {
    const id = ids[place];
    assert.ok(id !== undefined);
    const body = CredentialEdit.parse({ name, type: "application", username: "service" });
    await ask(server.url, updateCredential, { params: { id }, body }, token);
  }
});
