// Tracks the user's last activity over all tabs (AUTH-56), and reports it to the server.
import { reportActivity } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import { currentSession } from "./session-store.ts";

const ACTIVITY_KEY = "strongroom.last-activity";
const REPORT_KEY = "strongroom.last-reported";
/** Mouse down, mouse move, key press, scroll, touch start and click. */
const ACTIVITY_EVENTS = ["mousedown", "mousemove", "keydown", "scroll", "touchstart", "click"] as const;

/** Milliseconds between writes for other tabs, which need no finer resolution. */
const SHARE_EVERY_MS = 1000;
/** The server is notified at most once a minute. */
const REPORT_EVERY_MS = 60_000;

let last = Date.now();
let lastShared = 0;

const stored = (key: string): number => Number(localStorage.getItem(key)) || 0;

/** Milliseconds since 1970, over all tabs. */
export const lastActivity = (): number => Math.max(last, stored(ACTIVITY_KEY));

export const wasActiveWithin = (ms: number): boolean => Date.now() - lastActivity() <= ms;

export function recordActivity(now: number = Date.now()): void {
  last = now;
  if (now - lastShared < SHARE_EVERY_MS) return;
  lastShared = now;
  localStorage.setItem(ACTIVITY_KEY, String(now));
}

let later: ReturnType<typeof setTimeout> | undefined;

/**
 * Reports activity to the server, at most once a minute over all tabs. Activity within that minute is reported at its
 * end; otherwise the server's session would expire before the browser's.
 */
export function reportToServer(now: number = Date.now()): void {
  if (currentSession().status !== "signed-in") return;
  const left = stored(REPORT_KEY) + REPORT_EVERY_MS - now;
  if (left > 0) {
    later ??= setTimeout(() => {
      later = undefined;
      reportToServer();
    }, left);
    return;
  }
  localStorage.setItem(REPORT_KEY, String(now));
  // Failures need no handling here: a 401 signs the user out, and the next report follows in a minute.
  void call(reportActivity).catch(() => undefined);
}

/** Calls `onActivity` for every event that counts as activity. Returns a function that stops watching. */
export function watchActivity(onActivity: () => void): () => void {
  const options = { passive: true, capture: true } as const;
  for (const name of ACTIVITY_EVENTS) window.addEventListener(name, onActivity, options);
  return () => {
    for (const name of ACTIVITY_EVENTS) window.removeEventListener(name, onActivity, options);
  };
}
