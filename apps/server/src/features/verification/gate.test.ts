// Nobody makes the server open connections without end: waiting for a login is bounded for each person and for all.
import { verifyCredential } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aCredential, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { aTarget } from "./testing/held-target.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** Stored without the verification that starts by itself. */
async function stored(owner: TestPerson, port: number) {
  const { id } = await aCredential(app, owner, { ...databaseAt(port), type: "application" });
  await app.database.pool.query("update credentials set type = 'postgresql' where id = $1", [id]);
  return () => app.call(verifyCredential, { params: { id }, as: owner.token });
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const codeOf = (reply: { body: unknown }) => (reply.body as { code: string }).code;

test("a person waits for eight verifications at once; more are refused with 429 until one has ended", async (context) => {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  const target = await aTarget(context);
  const [one, another] = [await stored(owner, target.port), await stored(owner, target.port)];
  const foreign = await stored(other, target.port);
  target.hold();
  const waiting = [...times(4, one), ...times(4, another)];
  await eventually(async () => (target.open() === 2 ? true : null));
  for (const refused of await Promise.all([one(), another()])) {
    assert.deepEqual([refused.status, codeOf(refused)], [429, "verification.too-many"]);
    assert.equal(refused.headers["retry-after"], "3");
    assert.match(refused.text, /You have 8 verifications under way\. Wait for one of them/);
  }
  const others = foreign();
  await eventually(async () => (target.open() === 3 ? true : null));
  target.letGo();
  for (const reply of await Promise.all([...waiting, others])) assert.equal(reply.status, 200, reply.text);
  assert.equal((await one()).status, 200);
});

test("all together wait for thirty-two at once, in one process", async (context) => {
  const target = await aTarget(context);
  const calls: Awaited<ReturnType<typeof stored>>[] = [];
  for (let person = 0; person < 5; person++) calls.push(await stored(await aPerson(app), target.port));
  target.hold();
  const waiting = calls.slice(0, 4).flatMap((call) => times(8, call));
  await eventually(async () => (target.open() === 4 ? true : null));
  const late = await calls[4]!();
  assert.deepEqual([late.status, codeOf(late)], [429, "verification.too-many"]);
  assert.match(late.text, /Many verifications are under way right now/);
  target.letGo();
  for (const reply of await Promise.all(waiting)) assert.equal(reply.status, 200, reply.text);
  assert.equal((await calls[4]!()).status, 200);
});

test("what fails leaves its place too", async () => {
  const owner = await aPerson(app);
  const params = { id: "0190c0de-0000-7000-8000-00000000dead" } as const;
  const replies = await Promise.all(times(8, () => app.call(verifyCredential, { params, as: owner.token })));
  assert.ok(replies.every(({ status }) => status === 404));
  assert.equal((await app.call(verifyCredential, { params, as: owner.token })).status, 404);
});
