// Lets a few pieces of heavy work run at once, a few more wait, and refuses the rest.
import { refuse } from "#kernel/http/refuse.ts";

const RETRY_AFTER_SECONDS = 5;

export type Gate = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** In order of arrival. Work whose caller went away while it waited is not done. */
export function createGate(atOnce: number, mostWaiting: number): Gate {
  const waiting: (() => void)[] = [];
  let free = atOnce;

  return async (work, signal) => {
    if (free > 0) free -= 1;
    else if (waiting.length >= mostWaiting) throw busy();
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      if (signal?.aborted === true) throw refuse(408, "request.abandoned", "The client went away.");
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
