// Waits for a value of a page or server that no locator can wait for.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;

/** Polls until the value is as expected. If that does not happen in time, rejects with the last value. */
export async function becomes<T>(read: () => T | Promise<T>, expected: T): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isDeepStrictEqual(found, expected)) return;
    if (Date.now() > end) assert.deepEqual(found, expected);
    await pause(PAUSE_MS);
  }
}

/** Polls until `read` finds something, for at most two minutes, and returns it. `what` names it in the error. */
export async function until<T>(what: string, read: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 1200; tries += 1) {
    const value = await read();
    if (value !== null) return value;
    await pause(100);
  }
  throw new Error(`waited too long for ${what}`);
}
