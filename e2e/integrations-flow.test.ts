// Tests integrations in a real browser: a webhook that receives the trail, and this Strongroom as its own witness.
import { readCheckpoint } from "@strongroom/contract";
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

describe("integrations", needs(noBrowser || null), () => {
  let server: RunningServer;
  let receiver: Server;
  let lines = 0;
  let browser: Browser;
  let admin: Person;
  let visit: Visit;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    receiver = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => (lines += chunk.toString().split("\n").length - 1));
      request.on("end", () => response.end());
    }).listen(0, "127.0.0.1");
    [browser, server] = await Promise.all([launchBrowser(), startServer(), once(receiver, "listening")]);
    admin = await firstAdmin(server);
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    receiver?.close();
  });

  const dialog = () => page.getByRole("dialog");
  const card = (name: string) => page.getByRole("article", { name, exact: true });
  async function addSink(fields: Record<string, string>, kind: string): Promise<void> {
    await page.getByRole("button", { name: "Add Sink" }).first().click();
    await dialog().getByLabel("Kind").selectOption({ label: kind });
    for (const [label, text] of Object.entries(fields)) await dialog().getByLabel(label).first().fill(text);
  }

  step("PLACE-03: the page explains its purpose and the first step", async () => {
    await signIn(page, admin, "/integrations");
    await seesHeading(page, "Integrations");
    await page.getByText("Connect external identity, ticketing and logging systems").waitFor();
    await page.getByText("No integrations yet").waitFor();
  });

  step("a webhook receives every entry, and its card shows the progress", async () => {
    const { port } = receiver.address() as AddressInfo;
    await addSink({ Name: "Company SIEM", Address: `http://127.0.0.1:${port}/in` }, "Webhook");
    await dialog().getByRole("button", { name: "Generate a Key" }).click();
    await inspectScreen(page, "integrations-add");
    await dialog().getByRole("button", { name: "Add Sink" }).click();
    await seesToast(page, "Sink added");
    await card("Company SIEM").getByText("Up to date").waitFor();
    await card("Company SIEM").getByText("None").waitFor();
    assert.ok(lines > 0);
    await page.getByRole("button", { name: "Test Company SIEM" }).click();
    await seesToast(page, `127.0.0.1:${(receiver.address() as AddressInfo).port} answered with status 200.`);
  });

  step("Strongroom cosigns the checkpoints of a watched log, and the page highlights a failing sink", async () => {
    const { verifier_key } = await ask(server.url, readCheckpoint, {}, await tokenOf(server, admin));
    await page.getByRole("button", { name: "Watch a Log" }).click();
    await dialog().getByLabel("Name").fill("This very one");
    await dialog().getByLabel("Log key").fill(verifier_key);
    await dialog().getByRole("button", { name: "Watch" }).click();
    await seesToast(page, "Log added");
    const key = (await page.getByLabel("witness key", { exact: true }).innerText()).trim();
    const url = `${server.url.replace(/\/$/, "")}/api/v1/audit/witness`;
    await addSink({ Name: "Second site", Address: url, "Witness key": key }, "Witness");
    await dialog().getByRole("button", { name: "Add Sink" }).click();
    await card("Second site").getByText("Up to date").waitFor();
    await page.getByRole("listitem").filter({ hasText: "This very one" }).getByText("Consistent").waitFor();
    await addSink({ Name: "Gone SIEM", Host: "127.0.0.1", Port: "9" }, "Syslog");
    await dialog().getByRole("button", { name: "Add Sink" }).click();
    await card("Gone SIEM").getByText("Failing").waitFor();
    await card("Gone SIEM").getByText("127.0.0.1:9 refused the connection").waitFor();
    await inspectScreen(page, "integrations");
  });

  step("an administrator disables a sink, and deletes it after confirming", async () => {
    await page.getByRole("button", { name: "Disable Gone SIEM" }).click();
    await card("Gone SIEM").getByText("Disabled").waitFor();
    await page.getByRole("button", { name: "Delete Gone SIEM" }).click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await seesToast(page, "Sink deleted");
    await card("Gone SIEM").waitFor({ state: "detached" });
    assertNoErrors(visit);
  });
});
