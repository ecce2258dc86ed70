import { ROTATION_REASONS, ROTATION_STATES, ROTATION_STEPS, type ConnectorFacts } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import { rotationObstacle } from "./rotation-obstacle.ts";
import { STATE_BADGES, reasonOf, isOpen, mayBeCancelled, remediesOf, progressSteps } from "./rotation-labels.ts";

describe("rotation labels", () => {
  test("ended states are not open, and every state has its own label", () => {
    expect(ROTATION_STATES.filter(isOpen)).toEqual(["queued", "running", "waiting", "attention"]);
    expect(new Set(ROTATION_STATES.map((state) => STATE_BADGES[state].label)).size).toBe(ROTATION_STATES.length);
  });

  test("a rotation can be cancelled only before its password is sent to the target", () => {
    const steps = ROTATION_STEPS.filter((step) => mayBeCancelled({ state: "running", step }));
    expect(steps).toEqual(["planned", "stored"]);
    expect(mayBeCancelled({ state: "cancelled", step: "stored" })).toBe(false);
  });

  test("the number of completed steps never decreases", () => {
    const done = ROTATION_STEPS.map((step) => progressSteps(step).filter(({ state }) => state === "done").length);
    expect(done).toEqual([0, 1, 1, 2, 2, 3, 4]);
  });

  test("each reason has its own text, with the user's name for manual starts", () => {
    const told = ROTATION_REASONS.map((because) => reasonOf({ because, asked_by: "Dana" }));
    expect(new Set(told).size).toBe(told.length);
    expect(told.filter((text) => text.includes("Dana"))).toHaveLength(2);
  });

  test("the first remedy is reconcile when both passwords were refused, and otherwise retry", () => {
    expect(remediesOf({ code: "both-refused" })[0]).toBe("reconcile");
    expect(remediesOf({ code: "reconcile-refused" })).not.toContain("reconcile");
    expect([remediesOf({ code: "unreachable" })[0], remediesOf({ code: "not known" })[0]]).toEqual(["again", "again"]);
  });
});

describe("obstacles to a rotation", () => {
  const able: ConnectorFacts = { name: "LDAP", is_proven: true, can_change: true, can_reconcile: true };
  test.each<[string, ConnectorFacts | null, boolean, RegExp | null]>([
    ["nothing", able, false, null],
    ["no connector", null, true, /^Strongroom cannot change this password/],
    ["only a reconcile account could, and there is none", { ...able, can_change: false }, false, /has none\.$/],
    ["nothing: the reconcile account does it", { ...able, can_change: false }, true, null],
    ["the kind", { ...able, can_change: false, can_reconcile: false }, true, /secrets of this kind \(LDAP\)/],
  ])("%s", (_, connector, hasReconcileAccount, expected) => {
    const told = rotationObstacle(connector, hasReconcileAccount);
    if (expected === null) expect(told).toBeNull();
    else expect(told).toMatch(expected);
  });
});
