// Tests the limit on failed logins of one target.
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../testing/manual-clock.ts";
import { LoginGate } from "./login-gate.ts";

const never = new AbortController().signal;

/** Lets waiting promises continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("two logins run concurrently, and a third waits until one has ended", async () => {
  const gate = new LoginGate(manualClock());
  const [first] = [await gate.enter("web1:22", never), await gate.enter("web1:22", never)];
  let isIn = false;
  const third = gate.enter("web1:22", never).then((report) => {
    isIn = true;
    return report;
  });
  await settle();
  assert.equal(isIn, false);
  assert.ok(await gate.enter("web2:22", never), "another target is not affected");
  first?.("logged-in");
  assert.ok(await third);
});

test("at most two logins fail within 20 seconds, however many users try", async () => {
  const clock = manualClock();
  const gate = new LoginGate(clock);
  const failedAt: number[] = [];
  let left = 0;
  const users = Array.from({ length: 40 }, async () => {
    const report = await gate.enter("web1:22", never);
    if (report === null) return void (left += 1);
    failedAt.push(clock.now().getTime());
    report("failed");
  });
  for (let second = 0; second < 120; second += 1) {
    await settle();
    clock.advance(1000);
  }
  await Promise.all(users);
  assert.equal(failedAt.length + left, 40);
  for (const at of failedAt) {
    const near = failedAt.filter((other) => other >= at && other < at + 20_000);
    assert.ok(near.length <= 2, `${near.length} failures within 20 s`);
  }
  assert.ok(left > 0, "users do not wait longer than 25 s");
});

test("two failures delay a later login until they no longer count", async () => {
  const clock = manualClock();
  const gate = new LoginGate(clock);
  for (const report of [await gate.enter("web1:22", never), await gate.enter("web1:22", never)]) report?.("failed");
  let isIn = false;
  const later = gate.enter("web1:22", never).then((report) => {
    isIn = report !== null;
  });
  for (let second = 0; second < 20; second += 1) {
    assert.equal(isIn, false, `let in after ${second} s`);
    clock.advance(1000);
    await settle();
  }
  await later;
  assert.equal(isIn, true);
});

test("a user who leaves stops waiting", async () => {
  const gate = new LoginGate(manualClock());
  await gate.enter("web1:22", never);
  await gate.enter("web1:22", never);
  const leaving = new AbortController();
  const waiting = gate.enter("web1:22", leaving.signal);
  leaving.abort();
  assert.equal(await waiting, null);
});
