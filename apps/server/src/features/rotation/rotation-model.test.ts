// The journal, explored exhaustively: every interleaving of two workers, a death at any point, answers that are lost or late.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MOST_RETIRES, after, nextAct, planned } from "./rotation.policy.ts";
import type { Journal, Means } from "./rotation.policy.ts";
import { startOf, successors } from "./testing/model.ts";
import type { Rules, World } from "./testing/model.ts";

const FAULTS = 3;
const OWN: Means = { canChange: true, canReconcile: false, mustRetire: false };
const BOTH: Means = { canChange: true, canReconcile: true, mustRetire: false };
const KEYS: Means = { canChange: true, canReconcile: false, mustRetire: true };

/** Every world that can be reached, with how it was reached. */
function explore(rules: Rules, faults: number): World[] {
  const start = startOf(faults);
  const seen = new Set([JSON.stringify(start)]);
  const worlds = [start];
  for (const world of worlds) {
    for (const next of successors(world, rules)) {
      const key = JSON.stringify(next);
      if (seen.has(key)) continue;
      seen.add(key);
      worlds.push(next);
    }
  }
  return worlds;
}

/** What comes of it when nothing fails any more, and nothing late arrives. */
function settle(world: World, rules: Rules): World {
  let now: World = { ...world, faults: 0, late: [], holder: null, workers: world.workers.map(() => ({ at: "rest" })) };
  for (let step = 0; step < 200; step++) {
    const next = successors(now, rules).next();
    if (next.done === true) return now;
    now = next.value;
  }
  throw new Error(`it does not come to an end from ${JSON.stringify(world)}`);
}

for (const [name, rules] of Object.entries({
  "an account that changes its own password": { means: OWN, refusals: 0 },
  "one with a reconcile account behind it": { means: BOTH, refusals: 0 },
  "a target that refuses the first candidate": { means: BOTH, refusals: 1 },
  "a key pair, whose old key is taken away": { means: KEYS, refusals: 0 },
} satisfies Record<string, Rules>)) {
  describe(`every way in which a rotation can go: ${name}`, () => {
    const worlds = explore(rules, FAULTS);

    // INVARIANT: some stored secret is in force on the target, at every moment, whatever fails and whoever dies.
    test("INVARIANT: some stored secret is in force on the target, at every moment", () => {
      for (const world of worlds) assert.ok(world.live >= 1 && world.live <= world.stored, JSON.stringify(world));
    });

    test("once nothing fails any more, the secret in force here is the one in force there, without help", () => {
      for (const world of worlds) {
        const end = settle(world, rules);
        if (end.journal.attention !== null) continue;
        assert.equal(end.journal.step, "ended", JSON.stringify(world));
        if (world.late.length === 0) assert.equal(end.inForce, end.live, JSON.stringify(world));
      }
    });

    test("one fault alone never needs a person", () => {
      for (const world of worlds) {
        if (world.journal.attention === null) continue;
        assert.ok(FAULTS - world.faults > 1, JSON.stringify(world));
      }
    });

    test("the lock-out budget: no more refused logins in a row than stored secrets, and one for each that died untold", () => {
      for (const { stored, refusedInRow, lostLogins } of worlds) {
        assert.ok(refusedInRow <= stored + 1 + lostLogins, `${refusedInRow} of ${stored}, ${lostLogins}`);
      }
    });

    test("the exploration reaches what it is about", () => {
      const steps = new Set(worlds.map(({ journal }) => journal.step));
      for (const step of ["planned", "stored", "sent", "answered", "doubtful", "ended"])
        assert.ok(steps.has(step as never));
      assert.ok(worlds.length > 1_000, String(worlds.length));
      assert.ok(worlds.some(({ late }) => late.length > 0));
    });
  });
}

test("taking the old secret away is tried again when the system was lost, and given up when it said no", () => {
  const promoted: Journal = { ...planned(1, "account"), step: "promoted", candidate: 2 };
  const lost = after(promoted, { kind: "not-retired", mayPass: true });
  assert.deepEqual([lost.step, nextAct(lost, KEYS)], ["promoted", { do: "retire" }]);
  assert.equal(after(promoted, { kind: "not-retired", mayPass: false }).step, "ended");
  let journal = promoted;
  for (let time = 0; time < MOST_RETIRES; time++) journal = after(journal, { kind: "not-retired", mayPass: true });
  assert.equal(journal.step, "ended");
});

test("an earlier secret that is back in force is found when the stored one is refused", () => {
  const rules: Rules = { means: OWN, refusals: 0 };
  const start: World = { ...startOf(0), stored: 2, inForce: 2, live: 1, journal: planned(2, "account", [1]) };
  const end = settle(start, rules);
  assert.deepEqual([end.journal.step, end.inForce, end.live, end.refusedInRow], ["ended", 1, 1, 0]);
});
