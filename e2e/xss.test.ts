// Tests stored cross-site scripting through the API: payloads in every text field of the contract, and in URLs, run no script,
// open no dialog and violate no content security policy. `xss-forms.test.ts` types payloads into the forms.
import { needs } from "@strongroom/connectors/testing";
import { createSafe } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import { watchPayloads } from "./testing/harmless.ts";
import { PAYLOADS, UNSEEN, typeable, typistOf } from "./testing/payloads.ts";
import type { Sent, Typist } from "./testing/payloads.ts";
import { aUser, firstAdmin, send, tokenOf, userIdOf } from "./testing/people.ts";
import { signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

/** These calls run in this order, because each needs the previous ones. The rest follow in any order. */
const FIRST = ["createSafe", "createPlatform", "createAccount", "createCredential", "createGroup"];
/** Fixed fields that must match each other and therefore carry no payload. */
const ACCOUNT = { hostname: "server1.example.com", system_type: "Application", connection_method: "HTTPS" };

describe("stored cross-site scripting", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  let token: string;
  let typist: Typist;
  const sent: Sent[] = [];
  let isHarmless: (where: string) => Promise<void>;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    const admin = await firstAdmin(server);
    token = await tokenOf(server, admin);
    const asker = await aUser(server, "asker@example.com");
    const askersToken = await tokenOf(server, asker);
    typist = typistOf(server.url, token, { user_id: userIdOf(askersToken) });
    for (const name of FIRST) sent.push(await typist.type(name, name === "createAccount" ? ACCOUNT : {}));
    const asking = typistOf(server.url, askersToken, typist.known);
    sent.push(await asking.type("createAccessRequest"));
    const visit = await visitor(browser, server.url);
    page = visit.page;
    isHarmless = await watchPayloads(visit);
    await signIn(page, admin);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function visitPage(path: string): Promise<void> {
    await page.goto(path);
    await page.getByRole("main").waitFor();
    await page.waitForFunction(() => document.querySelector("[data-loading]") === null);
  }

  step("every call that accepts text stores it as text or refuses it, and none fails because of it", async () => {
    const others = typeable().filter((name) => !FIRST.includes(name) && name !== "createAccessRequest");
    for (const name of others) sent.push(await typist.type(name));
    const failed = sent.filter(({ status }) => status >= 500);
    assert.deepEqual(failed, []);
    const taken = sent.filter(({ status }) => status < 300).map(({ name }) => name);
    for (const name of [
      ...FIRST,
      "createAccessRequest",
      "updateSafe",
      "updateGroup",
      "updatePlatform",
      "updateAccount",
    ]) {
      assert.ok(taken.includes(name), `${name}: ${JSON.stringify(sent.find((each) => each.name === name))}`);
    }
    assert.ok(taken.length >= 12, taken.join());
    for (const text of UNSEEN) {
      const refused = await send(server.url, createSafe, { body: { name: text } }, token);
      assert.equal(refused.status, 400, JSON.stringify(text));
    }
  });

  step("every screen shows the payload as text", async () => {
    const { known } = typist;
    const nameGiven = (name: string) => sent.findLast((each) => each.name === name)?.typed["name"];
    const shown: [path: string, text: string | undefined][] = [
      ["/safes", nameGiven("updateSafe")],
      [`/safes/${known["safe_id"]}`, nameGiven("updateSafe")],
      ["/accounts", nameGiven("updateAccount")],
      [`/accounts/${known["account_id"]}`, nameGiven("updateAccount")],
      ["/vault", nameGiven("updateCredential")],
      [`/vault/${known["credential_id"]}`, nameGiven("updateCredential")],
      ["/admin/groups", nameGiven("updateGroup")],
      ["/admin/platforms", nameGiven("updatePlatform")],
      [
        `/jit-access?request=${known["request_id"]}`,
        sent.find(({ name }) => name === "createAccessRequest")?.typed["reason"],
      ],
      ["/audit-logs", nameGiven("createGroup")],
      ...["/", "/validation-dashboard", "/cpm-dashboard", "/access-control", "/integrations", "/admin"].map(plain),
      ...["/profile", "/notifications", "/settings", "/discovery"].map(plain),
    ];
    for (const [path, text] of shown) {
      await visitPage(path);
      if (text !== undefined) await page.getByText(text).first().waitFor();
      await isHarmless(path);
    }
  });

  step("a payload in a URL also remains text", async () => {
    for (const path of ["/vault", "/accounts", "/safes", "/jit-access", "/admin/groups"]) {
      await visitPage(`${path}?search=${encodeURIComponent(PAYLOADS[0])}#${encodeURIComponent(PAYLOADS[1])}`);
      await isHarmless(`${path}, in its address`);
    }
  });

  step("OPEN-28: search shows the payload as text and links to its object", async () => {
    await visitPage("/help");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("pwned()");
    const options = page.getByRole("listbox", { name: "Search results" }).getByRole("option");
    await options.first().waitFor();
    await becomes(async () => (await options.count()) > 3, true);
    await isHarmless("the search");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname !== "/help");
    await isHarmless("where the search leads");
  });
});

const plain = (path: string): [string, undefined] => [path, undefined];
