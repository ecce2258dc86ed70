// Tests that users share the gate fairly: neither a few users nor a hanging target blocks others.
import { startTcp } from "@strongroom/connectors/testing";
import { verifyCredential, verifyMultiple } from "@strongroom/contract";
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { aCredential, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { createGate } from "./gate.ts";
import type { GateLimits, GateRequest } from "./gate.ts";
import { aTarget } from "../testing/held-target.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** Stores a credential without the automatic verification. */
async function stored(owner: TestPerson, port: number) {
  const { id } = await aCredential(app, owner, { ...databaseAt(port), type: "application" });
  await app.database.pool.query("update credentials set type = 'postgresql' where id = $1", [id]);
  return () => app.call(verifyCredential, { params: { id }, as: owner.token });
}

const times = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place));
const codeOf = (reply: { body: unknown }) => (reply.body as { code: string }).code;

/** A listener that accepts and never responds. All connections are closed at the end of the test. */
async function aSilentTarget(context: TestContext) {
  const open = new Set<Socket>();
  const target = await startTcp((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  const unblock = () => {
    for (const socket of open) socket.destroy();
  };
  context.after(() => target.stop());
  return { port: target.port, open: () => open.size, unblock };
}

test("a user has at most eight verifications under way, and gets 429 for more until one of them ends", async (context) => {
  const owner = await aPerson(app);
  const target = await aTarget(context);
  const one = await stored(owner, target.port);
  target.hold();
  const answered: Awaited<ReturnType<typeof one>>[] = [];
  const calls = times(10, one);
  for (const call of calls) void call.then((reply) => answered.push(reply));
  await eventually(async () => (answered.length >= 2 ? true : null));
  for (const refused of answered) {
    assert.deepEqual([refused.status, codeOf(refused)], [429, "verification.too-many"]);
    assert.equal(refused.headers["retry-after"], "3");
    assert.match(refused.text, /You have 8 verifications running\. Wait for one to finish/);
  }
  await eventually(async () => (target.open() === 1 ? true : null));
  target.unblock();
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 8, String(statuses));
  assert.equal((await one()).status, 200);
});

test("four users with unresponsive targets leave slots for everyone else", async (context) => {
  const [silent, good] = [await aSilentTarget(context), await aTarget(context)];
  const slow = await Promise.all(times(8, () => aSilentTarget(context)));
  const attackers = await Promise.all(times(4, () => aPerson(app)));
  const calls: Promise<{ status: number }>[] = [];
  for (const attacker of attackers) {
    for (const { port } of [...slow.slice(0, 7), silent]) calls.push((await stored(attacker, port))());
  }
  const connected = () => [silent, ...slow].reduce((sum, target) => sum + target.open(), 0);
  await eventually(async () => (connected() === 16 ? true : null));
  const other = await aPerson(app);
  const mine = await Promise.all(times(3, () => stored(other, good.port)));
  for (const verify of mine) assert.equal((await verify()).status, 200, "while the others still wait");
  assert.equal(connected(), 16);
  const ended = Promise.all(calls);
  let isOver = false;
  void ended.then(() => (isOver = true));
  await eventually(async () => {
    for (const target of [silent, ...slow]) target.unblock();
    return isOver ? true : null;
  });
  assert.ok((await ended).every(({ status }) => status === 200 || status === 429));
});

test("a run against an unresponsive target takes no slot from a waiting user", async (context) => {
  const silent = await aSilentTarget(context);
  const good = await aTarget(context);
  const owner = await aPerson(app);
  const ids = await Promise.all(
    times(6, async () => {
      const { id } = await aCredential(app, owner, { ...databaseAt(silent.port), type: "application" });
      await app.database.pool.query("update credentials set type = 'postgresql' where id = $1", [id]);
      return id;
    }),
  );
  assert.equal((await app.call(verifyMultiple, { body: { credential_ids: ids }, as: owner.token })).status, 202);
  await eventually(async () => (silent.open() > 0 ? true : null));
  assert.equal((await (await stored(owner, good.port))()).status, 200);
  context.after(() => silent.unblock());
});

test("a failed call releases its slot", async () => {
  const owner = await aPerson(app);
  const params = { id: "0190c0de-0000-7000-8000-00000000dead" } as const;
  const replies = await Promise.all(times(8, () => app.call(verifyCredential, { params, as: owner.token })));
  assert.ok(replies.every(({ status }) => status === 404));
  assert.equal((await app.call(verifyCredential, { params, as: owner.token })).status, 404);
});

describe("the gate", () => {
  const never = new AbortController().signal;
  let number = 0;
  const visit = (personId: string, target: string | null, given: Partial<GateRequest> = {}): GateRequest => ({
    personId,
    credentialId: `credential ${(number += 1)}`,
    target,
    signal: never,
    ...given,
  });

  /** Returns a gate with functions that enter it and that end a visit. */
  function aGate(limits: Partial<GateLimits> = {}) {
    const gate = createGate({ patienceMs: 60_000, ...limits });
    const atWork: { name: string; end: () => void }[] = [];
    const enter = (name: string, to: GateRequest) =>
      gate(to, () => new Promise<void>((resolve) => void atWork.push({ name, end: resolve })));
    const end = async (name: string) => {
      const [found] = atWork.splice(
        atWork.findIndex((each) => each.name === name),
        1,
      );
      found!.end();
      await new Promise(setImmediate);
    };
    return { enter, end, names: () => atWork.map((each) => each.name) };
  }
  const settle = () => new Promise(setImmediate);

  test("gives a target four slots, at most two of them to one user", async () => {
    const { enter, end, names } = aGate();
    const all = [..."aaabbbc"].map((person, place) => enter(`${person}${place}`, visit(person, "db1:5432")));
    await settle();
    assert.deepEqual(names(), ["a0", "a1", "b3", "b4"]);
    await end("a0");
    assert.deepEqual(names(), ["a1", "b3", "b4", "c6"], "people with nothing under way are first");
    await end("a1");
    assert.deepEqual(names(), ["b3", "b4", "c6", "a2"]);
    for (const name of ["b3", "b4", "c6", "a2", "b5"]) await end(name);
    await Promise.all(all);
  });

  test("gives one user fewer slots as it fills up, so that a few users cannot take all", async () => {
    const { enter, names } = aGate({ waiting: 1000 });
    const over = new AbortController();
    for (const person of times(12, (place) => `person ${place}`)) {
      for (const target of times(8, (place) => `${person} ${place}:22`)) {
        enter(person, visit(person, target, { signal: over.signal })).catch(() => {});
      }
    }
    await settle();
    const counts = times(12, (place) => names().filter((name) => name === `person ${place}`).length);
    assert.deepEqual(counts, [4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1]);
    over.abort();
    await settle();
  });

  test("lets calls for the same credential share a slot", async () => {
    const { enter, end, names } = aGate({ atOnce: 1 });
    const credentialId = "shared";
    const both = [
      enter("first", visit("a", "db1:1", { credentialId })),
      enter("second", visit("b", "db1:1", { credentialId })),
    ];
    const third = enter("third", visit("c", "db2:1"));
    await settle();
    assert.deepEqual(names(), ["first", "second"]);
    await end("first");
    assert.deepEqual(names(), ["second"], "the place is taken while any call uses it");
    await end("second");
    assert.deepEqual(names(), ["third"]);
    await end("third");
    await Promise.all([...both, third]);
  });

  test("refuses a call that waits too long, and a call when the queue is full", async () => {
    const { enter, end } = aGate({ atOnce: 1, waiting: 1, patienceMs: 20 });
    const first = enter("first", visit("a", null));
    const second = enter("second", visit("b", null));
    const tooMany = { status: 429, code: "verification.too-many" };
    await assert.rejects(enter("third", visit("c", null)), tooMany);
    await assert.rejects(second, tooMany);
    await end("first");
    await first;
  });

  test("removes a caller who disconnected while waiting", async () => {
    const { enter, end, names } = aGate({ atOnce: 1 });
    const gone = new AbortController();
    const first = enter("first", visit("a", null));
    const second = enter("second", visit("b", null, { signal: gone.signal }));
    gone.abort();
    await assert.rejects(second, { code: "request.abandoned" });
    await end("first");
    assert.deepEqual(names(), []);
    await first;
  });
});
