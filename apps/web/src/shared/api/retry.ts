// Which failed calls are tried again, and when (HTTP-12 to HTTP-17, OPEN-67, OPEN-68, OPEN-148).
import { CallError } from "./call-error.ts";
import { isDatabaseTrouble } from "./database-trouble.ts";

const MOST_RETRIES = 5;
const FIRST_WAIT_MS = 2000;
/** After the server was asked to wake up (HTTP-16). */
const WAKE_UP_WAIT_MS = 3000;

/** 429, a failing database, and network errors. Not a timeout: the server may still be working on it. */
function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  return error.kind === "network" || error.status === 429 || isDatabaseTrouble(error);
}

/** Milliseconds before retry number `retry` (counted from 0): what the server asked for, else 2 s doubling. */
function waitBeforeRetry(retry: number, error: unknown): number {
  const asked = error instanceof CallError ? error.retryAfter : null;
  return asked === null ? FIRST_WAIT_MS * 2 ** retry : asked * 1000;
}

/** Resolves after `ms`; rejects at once when the signal is aborted. */
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

/** Runs `send` until it succeeds, fails for good, or was retried five times. */
export async function withRetries<T>(send: () => Promise<T>, pause: Wait, signal?: AbortSignal): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await send();
    } catch (error) {
      if (retry >= MOST_RETRIES || !isWorthRetrying(error)) throw error;
      await pause(waitBeforeRetry(retry, error), signal);
    }
  }
}

/**
 * A sleeping deployment: the cases of HTTP-16, also when only the status shows it. A sealed vault is awake, and so is a server
 * that reports a failing database.
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
 * The deployed-environment handler (HTTP-16, HTTP-17): knocks at the health endpoint, waits 3 s, tries once more.
 * Any other error is raised as it is.
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
    // Whether the knock is answered does not matter: the second try will tell.
    await knock().catch(() => undefined);
    await pause(WAKE_UP_WAIT_MS, signal);
    return send();
  }
}
