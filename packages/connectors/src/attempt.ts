// Runs one attempt on a target: within its time, and with its duration.
import type {
  ChangeFinding,
  ChangeResult,
  Finding,
  ListFinding,
  ListResult,
  VerifyContext,
  VerifyResult,
} from "./connector.ts";
import { unknown, unreachable, unsent } from "./finding.ts";

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
  return inTime<Finding>(context, run, (failure) => failure);
}

/** As `attempt`, for a list of accounts. */
export async function attemptList(
  context: VerifyContext,
  run: (attempt: Attempt) => Promise<ListFinding>,
): Promise<ListResult> {
  return inTime<ListFinding>(context, run, (failure) => failure);
}

/** An attempt that may change something on the target. */
export interface ChangeAttempt extends Attempt {
  /** To be called right before anything leaves that could change a secret: from then on no answer means `unknown`. */
  sending: () => void;
  /** Whether that was called. */
  isSent: () => boolean;
}

/**
 * INVARIANT: what was sent and not clearly answered ends as `unknown`, never as `unsent`: whoever believed that nothing was
 * changed would throw away the password that is in force.
 */
export async function attemptChange(
  context: VerifyContext,
  run: (attempt: ChangeAttempt) => Promise<ChangeFinding>,
): Promise<ChangeResult> {
  return attemptWith<ChangeFinding>(context, run);
}

/** As `attemptChange`, for abilities that also answer with something else. */
export async function attemptWith<F extends { outcome: string }>(
  context: VerifyContext,
  run: (attempt: ChangeAttempt) => Promise<F>,
): Promise<(F | Extract<ChangeFinding, { outcome: "unsent" | "unknown" }>) & { durationMs: number }> {
  type Ended = F | Extract<ChangeFinding, { outcome: "unsent" | "unknown" }>;
  let isSent = false;
  const started = (current: Attempt): Promise<Ended> =>
    run({ ...current, sending: () => (isSent = true), isSent: () => isSent });
  const giveUp = ({ code, message }: Cut) =>
    (isSent
      ? unknown(`The change was sent, and no answer came. ${message}`)
      : unsent(unreachable(code, message))) as Ended;
  return inTime<Ended>(context, started, giveUp);
}

interface Cut {
  outcome: "unreachable";
  code: "timeout" | "cancelled";
  message: string;
}

/** Runs something that may take its time, and gives up with what `giveUp` makes of it. */
export async function inTime<F extends object>(
  context: VerifyContext,
  run: (attempt: Attempt) => Promise<F>,
  giveUp: (cut: Cut) => F,
): Promise<F & { durationMs: number }> {
  const startedAt = performance.now();
  const over = new AbortController();
  let waitingFor = "an answer";
  const ended = Promise.withResolvers<F>();
  const end = (code: Cut["code"], message: string) => ended.resolve(giveUp({ outcome: "unreachable", code, message }));
  const timer = setTimeout(() => {
    const seconds = (context.timeoutMs / 1000).toLocaleString("en", { maximumFractionDigits: 1 });
    end("timeout", `Gave up after ${seconds} s while waiting for ${waitingFor}.`);
  }, context.timeoutMs);
  const cancel = () => end("cancelled", "The check was cancelled before it ended.");
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
