// Tests of `gather`: order, grouping and failure isolation between groups.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gather } from "./gather.ts";

test("processes concurrent items as one group and answers in order", async () => {
  const groups: number[][] = [];
  const double = gather<number, number>(10, async (items) => {
    groups.push([...items]);
    return items.map((item) => item * 2);
  });
  assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]);
  assert.deepEqual(groups, [[1, 2, 3]]);
});

test("limits the group size and processes every item", async () => {
  const sizes: number[] = [];
  const same = gather<number, number>(4, async (items) => {
    sizes.push(items.length);
    return items;
  });
  const all = Array.from({ length: 11 }, (_, index) => index);
  assert.deepEqual(await Promise.all(all.map(same)), all);
  assert.deepEqual(sizes, [4, 4, 3]);
});

test("items that arrive while a group runs form the next group", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const groups: string[][] = [];
  const same = gather<string, string>(10, async (items) => {
    groups.push([...items]);
    begin();
    await gate;
    return items;
  });
  const first = same("a");
  await started;
  const later = [same("b"), same("c")];
  open();
  assert.deepEqual(await Promise.all([first, ...later]), ["a", "b", "c"]);
  assert.deepEqual(groups, [["a"], ["b", "c"]]);
});

test("a failing group fails all its items and no others", async () => {
  const odd = gather<number, number>(1, async ([item = 0]) => {
    if (item === 1) throw new Error("no");
    return [item];
  });
  const results = await Promise.allSettled([odd(1), odd(2)]);
  assert.deepEqual(
    results.map((result) => result.status),
    ["rejected", "fulfilled"],
  );
});

test("rejects if the work does not return a result for every item", async () => {
  const short = gather<number, number>(5, async () => []);
  await assert.rejects(short(1), /did not return a result for every item/);
});

test("a second group starts in parallel if enough items wait, but a third does not", async () => {
  const gates: (() => void)[] = [];
  const { promise: twoBegun, resolve: sawTwo } = Promise.withResolvers<void>();
  const groups: string[][] = [];
  const same = gather<string, string>(
    10,
    async (items) => {
      groups.push([...items]);
      if (groups.length === 2) sawTwo();
      await new Promise<void>((open) => gates.push(open));
      return items;
    },
    1,
  );
  const first = same("a");
  while (groups.length === 0) await new Promise((done) => setImmediate(done));
  const second = same("b");
  await twoBegun;
  const third = same("c");
  assert.deepEqual(groups, [["a"], ["b"]]);
  gates.splice(0).forEach((open) => open());
  assert.deepEqual(await Promise.all([first, second]), ["a", "b"]);
  while (gates.length === 0) await new Promise((done) => setImmediate(done));
  gates.splice(0).forEach((open) => open());
  assert.equal(await third, "c");
  assert.deepEqual(groups, [["a"], ["b"], ["c"]]);
});
