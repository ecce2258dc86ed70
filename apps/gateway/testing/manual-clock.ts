// A clock that only the test moves.
import type { TimerClock } from "../src/core/ports.ts";

export interface ManualClock extends TimerClock {
  advance(milliseconds: number): void;
  /** The number of waiting timers. */
  timers(): number;
}

export function manualClock(): ManualClock {
  let now = Date.UTC(2026, 0, 1);
  const timers = new Set<{ at: number; act: () => void }>();
  return {
    now: () => new Date(now),
    timers: () => timers.size,
    after(milliseconds, act) {
      const timer = { at: now + milliseconds, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(milliseconds) {
      const until = now + milliseconds;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.act();
      }
      now = until;
    },
  };
}
