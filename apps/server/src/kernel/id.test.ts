import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "./id.ts";

test("ids of one millisecond sort in the order of their creation", () => {
  const now = Date.UTC(2026, 10, 28);
  const ids = Array.from({ length: 2_000 }, () => newId(now));
  assert.deepEqual(ids.toSorted(), ids);
  assert.ok(newId(now + 1) > ids.at(-1)!);
});

test("ids are UUIDs of version 7 and differ, however many are made in a millisecond", () => {
  const ids = Array.from({ length: 10_000 }, () => newId(1));
  for (const id of ids) assert.match(id, /^00000000-0001-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
});
