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

type Call = Awaited<ReturnType<typeof stored>>;

/** Of calls that are all made at once, those that were answered while the others waited, once there are so many. */
async function answeredAtOnce(calls: ReturnType<Call>[], count: number) {
  const answered: Awaited<ReturnType<Call>>[] = [];
  for (const call of calls) void call.then((reply) => answered.push(reply));
  await eventually(async () => (answered.length >= count ? true : null));
  return answered;
}

test("a person waits for eight verifications at once; more are refused with 429 until one has ended", async (context) => {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  const target = await aTarget(context);
  const [one, another] = [await stored(owner, target.port), await stored(owner, target.port)];
  const foreign = await stored(other, target.port);
  target.hold();
  const calls = [...times(5, one), ...times(5, another)];
  for (const refused of await answeredAtOnce(calls, 2)) {
    assert.deepEqual([refused.status, codeOf(refused)], [429, "verification.too-many"]);
    assert.equal(refused.headers["retry-after"], "3");
    assert.match(refused.text, /You have 8 verifications under way\. Wait for one of them/);
  }
  const others = foreign();
  await eventually(async () => (target.open() === 3 ? true : null));
  target.letGo();
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 8, String(statuses));
  assert.equal((await others).status, 200);
  assert.equal((await one()).status, 200);
});

test("all together wait for thirty-two at once, in one process", async (context) => {
  const target = await aTarget(context);
  const people: Call[] = [];
  for (let person = 0; person < 5; person++) people.push(await stored(await aPerson(app), target.port));
  target.hold();
  const calls = [...people.slice(0, 4).flatMap((call) => times(8, call)), people[4]!()];
  const [late] = await answeredAtOnce(calls, 1);
  assert.deepEqual([late?.status, late && codeOf(late)], [429, "verification.too-many"]);
  assert.match(late?.text ?? "", /Many verifications are under way right now/);
  target.letGo();
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 32, String(statuses));
  assert.equal((await people[4]!()).status, 200);
});

test("what fails leaves its place too", async () => {
  const owner = await aPerson(app);
  const params = { id: "0190c0de-0000-7000-8000-00000000dead" } as const;
  const replies = await Promise.all(times(8, () => app.call(verifyCredential, { params, as: owner.token })));
  assert.ok(replies.every(({ status }) => status === 404));
  assert.equal((await app.call(verifyCredential, { params, as: owner.token })).status, 404);
});
