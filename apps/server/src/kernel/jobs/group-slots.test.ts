import assert from "node:assert/strict";
import { test } from "node:test";
import { groupSlots } from "./group-slots.ts";

test("the running jobs of a group are limited, and waiting jobs start in order", async () => {
  const slots = groupSlots(2);
  const began: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const all = gates.map((gate, number) =>
    slots.within("target", async () => {
      began.push(number);
      await gate.promise;
      if (number === 1) throw new Error("failed on purpose");
    }),
  );
  const failed = assert.rejects(all[1]!, /failed on purpose/);
  await slots.within("another target", async () => undefined);
  await slots.within(null, async () => undefined);
  assert.deepEqual(began, [0, 1]);
  gates[1]!.resolve();
  await failed;
  await slots.within(undefined, async () => undefined);
  assert.deepEqual(began, [0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.allSettled(all);
  assert.deepEqual(began, [0, 1, 2, 3, 4]);
});
