// Waiting for what a page or a server comes to say, where no locator can wait for it.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;

/** Reads again and again until it is what is expected; rejects with what it was last. */
export async function becomes<T>(read: () => T | Promise<T>, expected: T): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isDeepStrictEqual(found, expected)) return;
    if (Date.now() > end) assert.deepEqual(found, expected);
    await pause(PAUSE_MS);
  }
}
