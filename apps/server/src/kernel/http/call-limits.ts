// Limits the calls of native clients per minute, as `rate-limits.ts` does for HTTP, per process.
import type { Clock } from "../clock.ts";
import { clientKey, visitorsPerMinute } from "./rate-limits.ts";
import { refuse } from "./refuse.ts";

export interface CallLimits {
  /** For expensive calls that need no sign-in. Throws a 429 refusal with `retryAfter`. */
  countVisitor(address: string): void;
  /** For calls of a signed-in user: counts the address, and each sign-in or API token separately. */
  countCall(address: string, account: string): void;
}

const WINDOW_MS = 60_000;
/** Counters of ended windows are deleted when there are more than this. */
const MOST_KEPT = 10_000;

/** `perMinute` 0 turns the limits off. */
export function createCallLimits(perMinute: number, clock: Clock): CallLimits {
  if (perMinute === 0) return { countVisitor: () => {}, countCall: () => {} };
  const windows = new Map<string, { count: number; endsAt: number }>();

  function count(key: string, most: number): void {
    const now = clock.now().getTime();
    if (windows.size > MOST_KEPT) for (const [old, { endsAt }] of windows) if (endsAt <= now) windows.delete(old);
    const current = windows.get(key);
    const window = current !== undefined && current.endsAt > now ? current : { count: 0, endsAt: now + WINDOW_MS };
    windows.set(key, window);
    window.count += 1;
    if (window.count <= most) return;
    const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    throw refuse(429, "request.too-many", `Rate limit exceeded. Retry in ${seconds} seconds.`, { retryAfter: seconds });
  }

  return {
    countVisitor: (address) => count(`v:${clientKey(address)}`, visitorsPerMinute(perMinute)),
    countCall(address, account) {
      count(`c:${clientKey(address)}`, perMinute);
      count(`a:${account}`, perMinute);
    },
  };
}
