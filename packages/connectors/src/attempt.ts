// Runs one attempt on a target: within its time, and with its duration.
import type { Failure, Finding, VerifyContext, VerifyResult } from "./connector.ts";
import { unreachable } from "./finding.ts";

/** What an attempt is handed: when to give up, and a place to say what it waits for. */
export interface Attempt {
  /** Aborted when the time is up, the caller cancels, or the attempt is over: whatever is open must close then. */
  signal: AbortSignal;
  context: VerifyContext;
  /** Ends the sentence "… while waiting for …" of a timeout. */
  waitFor: (what: string) => void;
  /** Milliseconds that are left. */
  remainingMs: () => number;
}

/**
 * INVARIANT: no result of a connector holds the secret. It is kept by construction: messages are our own words with
 * the entry's own fields, and of what a target says only values of a fixed form are passed on. Nothing is blacked out
 * here: `[secret]` in place of a word of ours would tell everybody that this word is the password.
 */
export async function attempt(
  context: VerifyContext,
  run: (attempt: Attempt) => Promise<Finding>,
): Promise<VerifyResult> {
  const startedAt = performance.now();
  const over = new AbortController();
  let waitingFor = "an answer";
  const ended = Promise.withResolvers<Failure>();
  const timer = setTimeout(() => {
    const seconds = (context.timeoutMs / 1000).toLocaleString("en", { maximumFractionDigits: 1 });
    ended.resolve(unreachable("timeout", `Gave up after ${seconds} s while waiting for ${waitingFor}.`));
  }, context.timeoutMs);
  const cancel = () => ended.resolve(unreachable("cancelled", "The check was cancelled before it ended."));
  context.signal.addEventListener("abort", cancel, { once: true });
  if (context.signal.aborted) cancel();
  try {
    const work = context.signal.aborted
      ? ended.promise
      : run({
          signal: over.signal,
          context,
          waitFor: (what) => (waitingFor = what),
          remainingMs: () => startedAt + context.timeoutMs - performance.now(),
        });
    const finding = await Promise.race([work, ended.promise]);
    return { ...finding, durationMs: Math.round(performance.now() - startedAt) };
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", cancel);
    over.abort();
  }
}
