// Which failed calls are retried, and when (HTTP-12 to HTTP-17, OPEN-67, OPEN-68, OPEN-148).
import { CallError } from "./call-error.ts";
import { isDatabaseTrouble } from "./database-trouble.ts";
import { recovery } from "./server-contact.ts";

const MOST_RETRIES = 5;
const FIRST_WAIT_MS = 2000;
/** Milliseconds after the wake-up request (HTTP-16). */
const WAKE_UP_WAIT_MS = 3000;

const isNetworkError = (error: unknown): boolean => error instanceof CallError && error.kind === "network";

/**
 * True for 429, a failing database and network errors. False for a timeout, because the server may still be working
 * on the call.
 */
function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  return isNetworkError(error) || error.status === 429 || isDatabaseTrouble(error);
}

/** Milliseconds before retry number `retry` (counted from 0): the server's Retry-After, else 2 s doubling. */
function waitBeforeRetry(retry: number, error: unknown): number {
  const asked = error instanceof CallError ? error.retryAfter : null;
  return asked === null ? FIRST_WAIT_MS * 2 ** retry : asked * 1000;
}

/** Resolves after `ms`; rejects immediately when the signal is aborted. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

export type Wait = typeof wait;

/** Runs `send` until it succeeds, fails permanently, or has been retried five times. */
export async function withRetries<T>(send: () => Promise<T>, pause: Wait, signal?: AbortSignal): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await send();
    } catch (error) {
      if (retry >= MOST_RETRIES || !isWorthRetrying(error)) throw error;
      const pausing = pause(waitBeforeRetry(retry, error), signal);
      await (isNetworkError(error) ? Promise.race([pausing, recovery()]) : pausing);
    }
  }
}

/**
 * Whether a deployment is asleep: the cases of HTTP-16, even when only the status shows it. A sealed vault is awake,
 * and so is a server that reports a failing database.
 */
export function isAsleep(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof CallError) {
    if (error.code === "sealed" || error.code === "health.not-ready" || isDatabaseTrouble(error)) return false;
    if (error.status === 502 || error.status === 503) return true;
  }
  return /timeout|503|502|ECONNRESET/.test(error.message);
}

/**
 * The deployed-environment handler (HTTP-16, HTTP-17): requests the health endpoint, waits 3 s and tries once more.
 * Any other error is rethrown unchanged.
 */
export async function withWakeUp<T>(
  send: () => Promise<T>,
  knock: () => Promise<unknown>,
  pause: Wait,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!isAsleep(error)) throw error;
    // The reply to the wake-up request does not matter; the second attempt shows whether the server is awake.
    await knock().catch(() => undefined);
    await pause(WAKE_UP_WAIT_MS, signal);
    return send();
  }
}
