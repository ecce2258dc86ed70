// Tests of when notices about a token's expiry are due.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeDue } from "./tokens.policy.ts";

const DAY = 86_400_000;

const lived = (life: number) => ({ created_at: new Date(0), end: new Date(life * DAY) });

test("each notice is due once, and none is due for a token whose lifetime is hardly longer than the notice period", () => {
  const due = (life: number, left: number, told: number | null) => {
    return noticeDue(
      { ...lived(life), told_days: told, told_end: new Date(life * DAY) },
      new Date((life - left) * DAY),
    );
  };
  assert.deepEqual([due(30, 8, null), due(30, 7, null), due(30, 6, 7), due(30, 1, 7)], [null, 7, null, 1]);
  assert.deepEqual([due(30, 0.5, 1), due(30, 0, null), due(30, 0.5, null)], [null, null, 1]);
  assert.deepEqual([due(13, 6, null), due(13, 1, null), due(1, 0.5, null)], [null, 1, null]);
});

test("notices sent for an earlier expiry, before the policy changed, do not count", () => {
  const due = (left: number, told: number, told_end: Date) =>
    noticeDue({ ...lived(60), told_days: told, told_end }, new Date((60 - left) * DAY));
  const [before, now] = [new Date(30 * DAY), new Date(60 * DAY)];
  assert.deepEqual([due(20, 1, before), due(6, 1, before), due(0.5, 1, before)], [null, 7, 1]);
  assert.deepEqual([due(6, 7, now), due(0.5, 7, now), due(0.5, 1, now)], [null, 1, null]);
});
