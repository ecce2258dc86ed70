// Explores the journal exhaustively: interleavings of two workers, process deaths, lost and late replies.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MAX_RETIRES, applyEvent, nextAction, initialJournal } from "../rotation.policy.ts";
import type { Journal, Capabilities } from "../rotation.policy.ts";
import { startOf, successors } from "../testing/model.ts";
import type { Rules, World } from "../testing/model.ts";

const FAULTS = 3;
const OWN: Capabilities = { canChange: true, canReconcile: false, mustRetire: false };
const BOTH: Capabilities = { canChange: true, canReconcile: true, mustRetire: false };
const KEYS: Capabilities = { canChange: true, canReconcile: false, mustRetire: true };

/** Returns every reachable world with the path to it. */
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

/** Returns the world after all faults and late changes have ended. */
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
  "an account with a reconcile account": { means: BOTH, refusals: 0 },
  "a target that refuses the first candidate": { means: BOTH, refusals: 1 },
  "a key pair whose old key is retired": { means: KEYS, refusals: 0 },
} satisfies Record<string, Rules>)) {
  describe(`all paths of a rotation: ${name}`, () => {
    const worlds = explore(rules, FAULTS);

    test("INVARIANT: some stored secret is active on the target at every moment", () => {
      for (const world of worlds) assert.ok(world.live >= 1 && world.live <= world.stored, JSON.stringify(world));
    });

    test("once faults end, the active version becomes the target's secret without manual intervention", () => {
      for (const world of worlds) {
        const end = settle(world, rules);
        if (end.journal.attention !== null) continue;
        assert.equal(end.journal.step, "ended", JSON.stringify(world));
        if (world.late.length === 0) assert.equal(end.activeVersion, end.live, JSON.stringify(world));
      }
    });

    test("a single fault never requires manual intervention", () => {
      for (const world of worlds) {
        if (world.journal.attention === null) continue;
        assert.ok(FAULTS - world.faults > 1, JSON.stringify(world));
      }
    });

    test("consecutive rejected logins stay within the lockout budget: the number of stored secrets plus one per lost reply", () => {
      for (const { stored, refusedInRow, lostLogins } of worlds) {
        assert.ok(refusedInRow <= stored + 1 + lostLogins, `${refusedInRow} of ${stored}, ${lostLogins}`);
      }
    });

    test("the exploration covers every step and late replies", () => {
      const steps = new Set(worlds.map(({ journal }) => journal.step));
      for (const step of ["planned", "stored", "sent", "answered", "doubtful", "ended"])
        assert.ok(steps.has(step as never));
      assert.ok(worlds.length > 1_000, String(worlds.length));
      assert.ok(worlds.some(({ late }) => late.length > 0));
    });
  });
}

test("the engine retries retiring the old secret after a lost reply, and stops after a refusal", () => {
  const promoted: Journal = { ...initialJournal(1, "account"), step: "promoted", candidate: 2 };
  const lost = applyEvent(promoted, { kind: "not-retired", mayPass: true });
  assert.deepEqual([lost.step, nextAction(lost, KEYS)], ["promoted", { do: "retire" }]);
  assert.equal(applyEvent(promoted, { kind: "not-retired", mayPass: false }).step, "ended");
  let journal = promoted;
  for (let time = 0; time < MAX_RETIRES; time++) journal = applyEvent(journal, { kind: "not-retired", mayPass: true });
  assert.equal(journal.step, "ended");
});

test("the engine finds an earlier secret that is active again when the target rejects the stored one", () => {
  const rules: Rules = { means: OWN, refusals: 0 };
  const start: World = {
    ...startOf(0),
    stored: 2,
    activeVersion: 2,
    live: 1,
    journal: initialJournal(2, "account", [1]),
  };
  const end = settle(start, rules);
  assert.deepEqual([end.journal.step, end.activeVersion, end.live, end.refusedInRow], ["ended", 1, 1, 0]);
});
