// When somebody is told that a token ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeDue } from "./tokens.policy.ts";

const DAY = 86_400_000;

test("each notice of its end is given once, and none of a life that is hardly longer than its notice", () => {
  const due = (life: number, left: number, told: number | null) => {
    const times = { created_at: new Date(0), end: new Date(life * DAY), told_days: told };
    return noticeDue(times, new Date((life - left) * DAY));
  };
  assert.deepEqual([due(30, 8, null), due(30, 7, null), due(30, 6, 7), due(30, 1, 7)], [null, 7, null, 1]);
  assert.deepEqual([due(30, 0.5, 1), due(30, 0, null), due(30, 0.5, null)], [null, null, 1]);
  assert.deepEqual([due(13, 6, null), due(13, 1, null), due(1, 0.5, null)], [null, 1, null]);
});
