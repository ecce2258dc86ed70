// Digests of many recordings share transactions, and a failure of one does not affect the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedChunks } from "@strongroom/server/features/sessions/index.ts";
import { createSharedDigests } from "./shared-digests.ts";

const aGroup = (id: string): RecordedChunks => ({
  id,
  sessionId: id,
  chunks: [{ number: 0, offset: 0, bytes: 1, digest: Buffer.alloc(32), from: 0, to: 1 }],
});

test("recordings that wait at the same time are stored together", async () => {
  const calls: string[][] = [];
  const add = createSharedDigests(async (groups) => void calls.push(groups.map(({ id }) => id)));
  await Promise.all([add(aGroup("one")), add(aGroup("two")), add(aGroup("three"))]);
  await add(aGroup("four"));
  assert.deepEqual(calls, [["one", "two", "three"], ["four"]]);
});

test("a recording that cannot be stored fails alone", async () => {
  const stored: string[] = [];
  const add = createSharedDigests(async (groups) => {
    if (groups.some(({ id }) => id === "bad")) throw new Error("refused");
    stored.push(...groups.map(({ id }) => id));
  });
  const results = await Promise.allSettled([add(aGroup("one")), add(aGroup("bad")), add(aGroup("two"))]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(stored, ["one", "two"]);
});
