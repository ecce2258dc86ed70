// The clock of the machine.
import type { Clock } from "./ports.ts";

export const systemClock: Clock = {
  now: () => new Date(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
