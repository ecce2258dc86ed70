// When a person last did something in this browser, in whichever tab (AUTH-56), and telling the server about it.
import { reportActivity } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import { currentSession } from "./session-store.ts";

const ACTIVITY_KEY = "strongroom.last-activity";
const REPORT_KEY = "strongroom.last-reported";
/** Mouse down, mouse move, key press, scroll, touch start and click. */
const ACTIVITY_EVENTS = ["mousedown", "mousemove", "keydown", "scroll", "touchstart", "click"] as const;

/** Other tabs need no finer news than this. */
const SHARE_EVERY_MS = 1000;
/** The server hears of activity once a minute at most. */
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
 * Tells the server that the person is there, once a minute at most over all tabs. What happens within that minute is
 * told at its end: else the server's clock would run out before the browser's.
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
  // A failure shows up elsewhere: a 401 signs out by itself, and the next report comes in a minute.
  void call(reportActivity).catch(() => undefined);
}

/** Calls `onActivity` for everything that counts as activity. Returns how to stop. */
export function watchActivity(onActivity: () => void): () => void {
  const options = { passive: true, capture: true } as const;
  for (const name of ACTIVITY_EVENTS) window.addEventListener(name, onActivity, options);
  return () => {
    for (const name of ACTIVITY_EVENTS) window.removeEventListener(name, onActivity, options);
  };
}
