import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { OrderedReader } from "./ordered-reader.ts";

/** Takes a piece only when told. */
function slowTaker() {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  return {
    taken,
    take: (bytes: Buffer) => {
      taken.push(bytes.toString("latin1", 0, 1));
      return new Promise<void>((resolve) => waiting.push(resolve));
    },
    async next() {
      waiting.shift()?.();
      await turn();
    },
  };
}

test("an ordered reader forwards the pieces of two streams one after the other", async () => {
  const [one, other] = [new PassThrough(), new PassThrough()];
  const { taken, take, next } = slowTaker();
  const reader = new OrderedReader();
  reader.read(one, take);
  reader.read(other, take);
  for (const [stream, text] of [
    [one, "a"],
    [other, "b"],
    [one, "c"],
  ] as const) {
    stream.write(text);
    await turn();
  }
  assert.deepEqual(taken, ["a"]);
  await next();
  assert.deepEqual(taken, ["a", "b"]);
  await next();
  await next();
  assert.deepEqual(taken, ["a", "b", "c"]);
  await reader.settled;
});

test("an ordered reader pauses its streams while more than 256 kB waits", async () => {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 });
  const { take, next } = slowTaker();
  const reader = new OrderedReader();
  reader.read(stream, take);
  for (let piece = 0; piece < 5; piece += 1) stream.write(Buffer.alloc(100_000, "x"));
  await turn();
  assert.equal(stream.isPaused(), true);
  assert.equal(stream.readableLength, 200_000);
  await next();
  assert.equal(stream.readableLength, 100_000);
  await next();
  await next();
  assert.deepEqual([stream.readableLength, stream.isPaused()], [0, false]);
});
