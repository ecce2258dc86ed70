// Waits until a cloud accepts a secret that it has just created.
import { setTimeout as delay } from "node:timers/promises";
import type { ChangeAttempt } from "../attempt.ts";

const PAUSE_MS = 1_000;

/**
 * `tryOut` returns null while the secret does not work yet. INVARIANT: the wait takes at most half of the remaining
 * time, so that a timeout never loses a secret that the cloud has created.
 */
export async function becomesUsable(attempt: ChangeAttempt, tryOut: () => Promise<boolean | null>): Promise<boolean> {
  const until = Promise.withResolvers<false>();
  const timer = setTimeout(() => until.resolve(false), Math.max(0, attempt.remainingMs() / 2));
  const ask = async (): Promise<boolean> => {
    while (!attempt.signal.aborted) {
      const isUsable = await tryOut();
      if (isUsable !== null) return isUsable;
      await delay(PAUSE_MS, undefined, { signal: attempt.signal }).catch(() => undefined);
    }
    return false;
  };
  return Promise.race([ask(), until.promise]).finally(() => clearTimeout(timer));
}
