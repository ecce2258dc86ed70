// Tests stored cross-site scripting through forms: types a unique payload into every text field of every form, saves the form if
// it accepts the payload, and checks every page afterwards.
import { needs } from "@strongroom/connectors/testing";
import { addGroupMember, addSafeMember, breakGlass } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Locator, Page, Response } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import { FORMS, FORMS_OF_VISITORS, NOT_REACHED, NO_FORMS, PAGES, choose, press } from "./testing/forms.ts";
import type { Form } from "./testing/forms.ts";
import { watchPayloads } from "./testing/harmless.ts";
import { typistOf } from "./testing/payloads.ts";
import type { Known } from "./testing/payloads.ts";
import { aUser, ask, firstAdmin, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";
import { fieldsInSource, putRight, takeFirst, textFields, typeEverywhere, NEWCOMER } from "./testing/text-fields.ts";

const PLAIN = { hostname: "server1.example.com", system_type: "Application", connection_method: "HTTPS" };
/** The maximum number of corrections to a form's errors. */
const TRIES = 4;
const QUIET_MS = 250;

test("the list of forms covers every text field of the app", () => {
  const walked = new Set([...FORMS, ...FORMS_OF_VISITORS].flatMap(({ of }) => of));
  const missing = [...fieldsInSource().keys()].filter((file) => !walked.has(file) && !Object.hasOwn(NO_FORMS, file));
  assert.deepEqual(missing, [], "name them in e2e/testing/forms.ts");
});

describe("payloads typed into every form", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  let admin: Person;
  let known: Known;
  let isHarmless: (where: string) => Promise<void>;
  /** The filled fields, as "file: label". */
  const reached = new Set<string>();
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    known = await aWorld(server, admin);
    const visit = await visitor(browser, server.url);
    page = visit.page;
    isHarmless = await watchPayloads(visit);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Reloads the page each time, because the previous save may navigate away later. */
  async function goTo(address: string): Promise<void> {
    await page.goto(address, { waitUntil: "commit" });
    await page.locator("main").waitFor();
    await page.waitForFunction(() => document.querySelector("[data-loading]") === null);
  }

  /** The container of the fields, once they have loaded. */
  async function open({ press: pressed = [], within, mark }: Form): Promise<Locator> {
    for (const words of pressed) await press(page, words);
    const scope =
      within === undefined && pressed.length > 0 ? page.getByRole("dialog").last() : page.locator(within ?? "main");
    if (mark !== undefined) await scope.getByText(mark, { exact: true }).first().click();
    await textFields(scope).first().waitFor();
    return scope;
  }

  /** Waits until no new field has appeared for a while, because fields may appear as data loads. */
  async function allThere(scope: Locator): Promise<void> {
    await page.waitForFunction(() => document.querySelector("[data-loading]") === null);
    for (let [before, now] = [-1, 0]; before !== now;) {
      before = await textFields(scope).count();
      await page.waitForTimeout(QUIET_MS);
      now = await textFields(scope).count();
    }
  }

  /** Submits until the form is accepted. */
  async function save(scope: Locator, where: string): Promise<void> {
    const answers: Response[] = [];
    const hear = (answer: Response) => void (answer.request().method() === "GET" || answers.push(answer));
    const isTaken = () => answers.some((answer) => answer.ok());
    page.on("response", hear);
    for (let turn = 0; turn < TRIES && !isTaken(); turn += 1) {
      await scope.locator("button[type=submit]:enabled").last().press("Enter");
      const objected = scope.locator('[aria-invalid="true"]').filter({ visible: true });
      // Waits for the displayed errors, not for the reply, which arrives earlier.
      await becomes(async () => isTaken() || (await objected.count()) > 0, true);
      if (!isTaken()) await putRight(scope, turn);
    }
    page.off("response", hear);
    assert.ok(isTaken(), `${where}: ${(await answers.at(-1)?.text()) ?? (await scope.innerText())}`);
  }

  async function walk(form: Form): Promise<void> {
    const where = [form.at(known), ...(form.press ?? [])].join(", ");
    await goTo(form.at(known));
    const scope = await open(form);
    const [label = "", ...choices] = form.choose ?? [];
    const typed = new Set<string>();
    const type = async () => {
      await allThere(scope);
      for (const each of await typeEverywhere(scope, typed))
        for (const file of form.of) reached.add(`${file}: ${each}`);
      await isHarmless(where);
    };
    if (choices.length === 0) await type();
    for (const choice of choices) {
      await choose(page, label, choice);
      await type();
    }
    assert.ok(typed.size > 0, `nothing can be typed at ${where}`);
    if (form.pick !== undefined) await takeFirst(page, scope.getByLabel(form.pick).first());
    if (form.isSaved === true) {
      await save(scope, where);
      await isHarmless(`${where}, saved`);
    }
  }

  step("payloads typed without sign-in remain text", async () => {
    for (const form of FORMS_OF_VISITORS) await walk(form);
  });

  step("payloads typed by signed-in users remain text", { timeout: 900_000 }, async () => {
    await signIn(page, admin);
    const failed: string[] = [];
    for (const form of FORMS) {
      const where = [form.at(known), ...(form.press ?? [])].join(", ");
      await walk(form).catch((error: unknown) => failed.push(`${where}: ${String(error)}`));
    }
    assert.deepEqual(failed, []);
  });

  step("no text field in the sources was skipped", () => {
    const named = [...fieldsInSource()].filter(([file]) => !Object.hasOwn(NO_FORMS, file));
    const fields = named.flatMap(([file, labels]) => labels.map((label) => `${file}: ${label}`));
    assert.deepEqual(
      fields.filter((each) => !reached.has(each) && !Object.hasOwn(NOT_REACHED, each)),
      [],
    );
    return Promise.resolve();
  });

  step("every page shows the saved payloads as text", { timeout: 900_000 }, async () => {
    const addresses = new Set([...FORMS, ...PAGES.map((at) => ({ at }))].map(({ at }) => at(known)));
    for (const address of addresses) {
      await goTo(address);
      await isHarmless(address);
    }
  });
});

/** Creates one object of each type, so that every form has data. */
async function aWorld(server: RunningServer, admin: Person): Promise<Known> {
  const token = await tokenOf(server, admin);
  const asker = await tokenOf(server, await aUser(server, "asker@example.com"));
  await aUser(server, `${NEWCOMER}@example.com`);
  const typist = typistOf(server.url, token, { user_id: userIdOf(asker) });
  const { known } = typist;
  await typist.type("createSafe");
  await typist.type("createPlatform", { approvals_level_1: 1 });
  await typist.type("createAccount", PLAIN);
  const accountId = known["account_id"]!;
  const params = { id: known["safe_id"] as never };
  await ask(
    server.url,
    addSafeMember,
    { params, body: { user_id: userIdOf(asker), role: "custom", permissions: ["list"] } },
    token,
  );
  await typist.type("createGroup", { may_break_glass: true });
  for (const who of [token, asker]) {
    const member = { params: { id: known["group_id"] as never }, body: { user_id: userIdOf(who) } };
    await ask(server.url, addGroupMember, member, token);
  }
  const glass = { account_id: accountId as never, reason: "The payment queue is stuck" };
  await ask(server.url, breakGlass, { body: glass }, asker);
  const policy = { reconcile_account_id: accountId, approvals_level_1: 1 };
  const changed = await typist.type("updatePlatform", policy);
  assert.equal(changed.status, 200, JSON.stringify(changed.reply));
  await typist.type("createPlatform", {
    reason_required: true,
    ticket_required: true,
    reconcile_account_id: accountId,
  });
  await typist.type("createAccount", PLAIN);
  await typist.type("createCredential");
  const scanned = { system_type: "Linux", connection_method: "SSH", hostname: "server1.example.com" };
  const { reply: scanner } = await typist.type("createAccount", { ...PLAIN, ...scanned });
  await typist.type("createDiscoveryTarget", {
    targetType: "linux",
    connectionMethod: "ssh",
    credentialId: (scanner as { id: string }).id,
    safeId: known["safe_id"],
    settings: { port: 22, timeout: 1000 },
  });
  await typistOf(server.url, asker, known).type("createAccessRequest");
  const { reply } = await typist.type("startAccessReview");
  return { ...known, review_id: (reply as { id: string }).id };
}
