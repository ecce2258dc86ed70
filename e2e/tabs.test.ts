// Many tabs of one browser: all usable over plain HTTP, all told what happens, by one stream of the server.
import { needs } from "@strongroom/connectors/testing";
import { createCredential, readHealth, streamEvents, updateCredential } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { cardOf, fillSignIn, isAt, seesHeading } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

/** More than the six connections that a browser opens to one server over HTTP/1.1. */
const TABS = 8;

describe("eight tabs of one browser", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let admin: Person;
  let token: string;
  let id: CredentialId;
  let visit: Visit;
  let tabs: Page[];
  /** The tabs that asked the server for the stream, in their order. */
  const readers: Page[] = [];
  const step = steps(() => tabs?.[0]);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    token = await tokenOf(server, admin);
    const body = { name: "As it began", type: "application" as const, username: "service", value: "an old secret" };
    ({ id } = await ask(server.url, createCredential, { body }, token));
    visit = await visitor(browser, server.url);
    visit.context.on("request", (request) => {
      if (new URL(request.url()).pathname === streamEvents.path) readers.push(request.frame().page());
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const openStreams = async (): Promise<number> => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return Number(/^strongroom_event_streams (\d+)$/m.exec(text)?.[1]);
  };

  async function rename(name: string): Promise<void> {
    const body = { name, type: "application" as const, username: "service" };
    await ask(server.url, updateCredential, { params: { id }, body }, token);
  }

  const allSee = (name: string) => Promise.all(tabs.map((tab) => cardOf(tab, name).waitFor()));

  step("all of them open and can be used", async () => {
    tabs = [visit.page];
    await visit.page.goto("/login");
    await fillSignIn(visit.page, admin);
    await visit.page.getByRole("checkbox", { name: "Keep me signed in" }).check();
    await visit.page.getByRole("button", { name: "Sign In" }).click();
    await isAt(visit.page, "/");
    while (tabs.length < TABS) tabs.push(await visit.context.newPage());
    for (const tab of tabs) {
      await tab.goto("/notifications");
      await tab.getByText("Real-time connected", { exact: true }).waitFor();
    }
    for (const tab of tabs) {
      const status = await tab.evaluate(async (path) => (await fetch(path)).status, readHealth.path);
      assert.equal(status, 200);
      await tab.getByRole("link", { name: "Credential Vault" }).click();
      await seesHeading(tab, "Credential Vault");
    }
    await allSee("As it began");
  });

  step("one event reaches all of them by one stream", async () => {
    await becomes(openStreams, 1);
    await rename("Renamed before all tabs");
    await allSee("Renamed before all tabs");
    assert.equal(await openStreams(), 1);
  });

  step("when the tab that reads the stream is closed, another goes on and nothing is missed", async () => {
    const reader = readers.at(-1);
    assert.ok(reader !== undefined);
    const before = readers.length;
    await reader.close();
    tabs = tabs.filter((tab) => tab !== reader);
    await rename("Renamed after the reader had gone");
    await allSee("Renamed after the reader had gone");
    await becomes(() => readers.length, before + 1);
    assert.ok(tabs.includes(readers.at(-1)!));
    await becomes(openStreams, 1);
  });

  step("signing out in one of them signs all of them out, and the stream ends", async () => {
    const [one, ...others] = tabs.toReversed();
    assert.ok(one !== undefined);
    await one.getByRole("button", { name: "Sign Out" }).click();
    for (const tab of [one, ...others]) await isAt(tab, "/login");
    await becomes(openStreams, 0);
    assertNoErrors(visit);
  });
});
