// Tests many tabs of one browser: all work over plain HTTP and receive events through one server stream.
import { needs } from "@strongroom/connectors/testing";
import { CredentialEdit, readHealth, streamEvents, updateCredential } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, noBrowser } from "./testing/browser.ts";
import { oneCredential } from "./testing/one-admin.ts";
import type { Beginning } from "./testing/one-admin.ts";
import { ask } from "./testing/people.ts";
import { cardOf, fillSignIn, isAt, seesHeading } from "./testing/screens.ts";
import { steps } from "./testing/steps.ts";

/** More than the six connections that a browser opens to one server over HTTP/1.1. */
const TABS = 8;

describe("eight tabs of one browser", needs(noBrowser || null), () => {
  let started: Beginning;
  let tabs: Page[];
  /** The tabs that requested the stream, in order. */
  const readers: Page[] = [];
  const step = steps(() => tabs?.[0]);

  before(async () => {
    started = await oneCredential("As it began");
    started.visit.context.on("request", (request) => {
      if (new URL(request.url()).pathname === streamEvents.path) readers.push(request.frame().page());
    });
  });
  after(() => started?.close());

  const openStreams = async (): Promise<number> => {
    const text = await (await fetch(`${started.server.url}/metrics`)).text();
    return Number(/^strongroom_event_streams (\d+)$/m.exec(text)?.[1]);
  };

  async function rename(name: string): Promise<void> {
    const body = CredentialEdit.parse({ name, type: "application", username: "service" });
    await ask(started.server.url, updateCredential, { params: { id: started.id }, body }, started.token);
  }

  const allSee = (name: string) => Promise.all(tabs.map((tab) => cardOf(tab, name).waitFor()));

  step("all tabs open and work", async () => {
    const { context, page } = started.visit;
    await page.goto("/login");
    await fillSignIn(page, started.admin);
    await page.getByRole("checkbox", { name: "Keep me signed in" }).check();
    await page.getByRole("button", { name: "Sign In" }).click();
    await isAt(page, "/");
    tabs = [page];
    while (tabs.length < TABS) tabs.push(await context.newPage());
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

  step("one stream delivers an event to all tabs", async () => {
    await becomes(openStreams, 1);
    await rename("Renamed before all tabs");
    await allSee("Renamed before all tabs");
    assert.equal(await openStreams(), 1);
  });

  step("another tab continues the stream without loss when the tab that reads it closes", async () => {
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

  step("signing out in one tab signs all tabs out and ends the stream", async () => {
    const [one, ...others] = tabs.toReversed();
    assert.ok(one !== undefined);
    await one.getByRole("button", { name: "Sign Out" }).click();
    for (const tab of [one, ...others]) await isAt(tab, "/login");
    await becomes(openStreams, 0);
    assertNoErrors(started.visit);
  });
});
