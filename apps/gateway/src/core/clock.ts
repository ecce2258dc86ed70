// The clock of the machine.
import type { TimerClock } from "./ports.ts";

export const systemTimerClock: TimerClock = {
  now: () => new Date(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
