// Tests that cursors round-trip and that any other text is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readNamePlace, readTimePlace, writeNamePlace, writeTimePlace } from "./cursor.ts";
import { Refusal } from "./refuse.ts";

const id = "0190c0de-0000-7000-8000-000000000001";
const isRefused = (error: unknown) => error instanceof Refusal && error.status === 400;

test("a cursor contains the position of the next page", () => {
  const time = { at: new Date(1_700_000_000_123), id };
  assert.deepEqual(readTimePlace(writeTimePlace(time)), time);
  const name = { name: "Zoë's 'safe' 🗝", id };
  assert.deepEqual(readNamePlace(writeNamePlace(name)), name);
});

test("rejects a text that is not a cursor of the list", () => {
  for (const cursor of [
    "",
    "x",
    "bnVsbA",
    writeNamePlace({ name: "a", id }),
    writeTimePlace({ at: new Date(NaN), id }),
  ]) {
    assert.throws(() => readTimePlace(cursor), isRefused, cursor);
  }
  const unstorable = writeNamePlace({ name: "a\0", id });
  for (const cursor of [
    "",
    "W10",
    unstorable,
    writeTimePlace({ at: new Date(0), id }),
    writeNamePlace({ name: "a", id: "1" }),
  ]) {
    assert.throws(() => readNamePlace(cursor), isRefused, cursor);
  }
});
