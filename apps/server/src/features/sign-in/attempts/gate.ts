// Limits how much expensive work runs at once: a few calls run, a few more wait, and the rest are refused.
import { refuse } from "#kernel/http/refuse.ts";

const RETRY_AFTER_SECONDS = 5;

export type Gate = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Runs work in order of arrival. Throws 503 when the queue is full, and 408 for waiting work whose caller has disconnected. */
export function createGate(atOnce: number, mostWaiting: number): Gate {
  const waiting: (() => void)[] = [];
  let free = atOnce;

  return async (work, signal) => {
    if (free > 0) free -= 1;
    else if (waiting.length >= mostWaiting) throw busy();
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      if (signal?.aborted === true) throw refuse(408, "request.abandoned", "The client disconnected.");
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

const busy = () =>
  refuse(503, "sign-in.busy", "Too many people are signing in right now. Please try again in a moment.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
