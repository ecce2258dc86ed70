// Runs one attempt on a target within its time limit and measures its duration.
import type {
  ChangeFinding,
  ChangeResult,
  Failure,
  Finding,
  ListFinding,
  ListResult,
  VerifyContext,
  VerifyResult,
} from "./connector.ts";
import { unknown, unreachable, unsent } from "./finding.ts";

/** A running attempt: its time limit, its abort signal, and a way to report its current step. */
export interface Attempt {
  /** Aborted on timeout, on cancellation, or when the attempt ends: close everything that is still open then. */
  signal: AbortSignal;
  context: VerifyContext;
  /** Ends the sentence "… while waiting for …" of a timeout. */
  waitFor: (what: string) => void;
  /** Remaining milliseconds. */
  remainingMs: () => number;
}

/**
 * INVARIANT: no result of a connector contains the secret. Construction guarantees this: messages consist of our own
 * words and the entry's fields, and only values of a fixed form are passed on from a target's answer. Nothing is
 * redacted here: `[secret]` in place of one of our words would reveal that this word is the password.
 */
export async function attempt(
  context: VerifyContext,
  run: (attempt: Attempt) => Promise<Finding>,
): Promise<VerifyResult> {
  return inTime<Finding>(context, run, (failure) => failure);
}

/** An attempt to list accounts. */
export interface ListAttempt extends Attempt {
  /** Reports how many accounts were received so far. */
  progress: (accounts: number) => void;
  /** `read` returns the result so far: it replaces the failure after a timeout or a lost connection. */
  keep: (read: () => ListFinding) => void;
}

/** Like `attempt`, for a list of accounts. Accounts that the target listed before the end are kept. */
export async function attemptList(
  context: VerifyContext,
  run: (attempt: ListAttempt) => Promise<ListFinding>,
): Promise<ListResult> {
  let kept: (() => ListFinding) | null = null;
  const started = async (current: Attempt): Promise<ListFinding> => {
    const progress = (accounts: number) => context.onListed?.(accounts);
    const finding = await run({ ...current, progress, keep: (read) => (kept = read) });
    return orPartial(finding, kept);
  };
  return inTime<ListFinding>(context, started, (failure) => orPartial(failure, kept));
}

function orPartial(finding: ListFinding, read: (() => ListFinding) | null): ListFinding {
  if (finding.outcome !== "unreachable" || finding.code === "cancelled" || read === null) return finding;
  const kept = read();
  if (kept.outcome !== "listed" || kept.accounts.length === 0) return finding;
  return { ...kept, isComplete: false, isPartial: true, message: finding.message };
}

/** An attempt that may change something on the target. */
export interface ChangeAttempt extends Attempt {
  /** Call this right before sending anything that could change a secret: from then on, a missing answer means `unknown`. */
  sending: () => void;
  /** Whether `sending` was called. */
  isSent: () => boolean;
}

/**
 * INVARIANT: a change that was sent and not clearly answered ends as `unknown`, never as `unsent`: after `unsent` a
 * caller would discard a password that may be active.
 */
export async function attemptChange(
  context: VerifyContext,
  run: (attempt: ChangeAttempt) => Promise<ChangeFinding>,
): Promise<ChangeResult> {
  return attemptWith<ChangeFinding>(context, run);
}

/** Like `attemptChange`, for methods that have other outcomes too. */
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
      ? unknown(`The change was sent, but the target did not answer. ${message}`)
      : unsent(unreachable(code, message))) as Ended;
  return inTime<Ended>(context, started, giveUp);
}

interface Cut {
  outcome: "unreachable";
  code: "timeout" | "cancelled";
  message: string;
}

/** Runs `run` within the time limit; on timeout or cancellation returns `giveUp`'s result. */
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
    end("timeout", `Timed out after ${seconds} s while waiting for ${waitingFor}.`);
  }, context.timeoutMs);
  const cancel = () => end("cancelled", "The check was cancelled.");
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

/**
 * Runs `work` with a session and closes the session. A failure that `work` throws happened before anything was sent;
 * `failureOf` explains it.
 */
export async function closing(
  session: { close(): void },
  failureOf: (error: unknown) => Failure,
  work: () => Promise<ChangeFinding>,
): Promise<ChangeFinding> {
  try {
    return await work();
  } catch (error) {
    return unsent(failureOf(error));
  } finally {
    session.close();
  }
}
