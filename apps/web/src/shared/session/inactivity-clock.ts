// The only inactivity clock: it triggers the toast, the timeout dialog and the sign-out.

/** AUTH-55. */
export const CHECK_EVERY_MS = 1000;

/** All in milliseconds. */
export interface InactivityLimits {
  timeoutMs: number;
  /** Shows the dialog when this much time or less is left. */
  warningMs: number;
  /** Shows the toast when this much time or less is left; never when the whole timeout is no longer than this. */
  toastMs: number;
}

export interface Inactivity {
  phase: "active" | "warning" | "expired";
  remainingMs: number;
  isToastDue: boolean;
}

/** The phase for an idle time (AUTH-50, AUTH-58, AUTH-64). */
export function inactivityAt(idleMs: number, limits: InactivityLimits): Inactivity {
  const remainingMs = Math.max(0, limits.timeoutMs - Math.max(0, idleMs));
  if (remainingMs === 0) return { phase: "expired", remainingMs, isToastDue: false };
  const isToastDue = remainingMs <= limits.toastMs && limits.timeoutMs > limits.toastMs;
  return { phase: remainingMs <= limits.warningMs ? "warning" : "active", remainingMs, isToastDue };
}

export interface InactivityClockDeps {
  now: () => number;
  /** Milliseconds since 1970. */
  lastActivity: () => number;
  limits: () => InactivityLimits;
  onChange: (inactivity: Inactivity) => void;
  /** Called once per idle period (AUTH-51). */
  onToast: () => void;
  /** Called once per idle period. */
  onExpire: () => void;
}

export interface InactivityClock {
  /** Evaluates the current time; `start` calls it every second. */
  check: () => Inactivity;
  /** Starts the clock, and returns a function that stops the clock. */
  start: () => () => void;
}

export function createInactivityClock(parts: InactivityClockDeps): InactivityClock {
  // The time of the last activity identifies an idle period, so new activity resets both.
  let toastedPeriod: number | null = null;
  let expiredPeriod: number | null = null;

  function check(): Inactivity {
    const period = parts.lastActivity();
    const inactivity = inactivityAt(parts.now() - period, parts.limits());
    parts.onChange(inactivity);
    if (inactivity.isToastDue && toastedPeriod !== period) {
      toastedPeriod = period;
      parts.onToast();
    }
    if (inactivity.phase === "expired" && expiredPeriod !== period) {
      expiredPeriod = period;
      parts.onExpire();
    }
    return inactivity;
  }

  return {
    check,
    start: () => {
      check();
      const timer = setInterval(check, CHECK_EVERY_MS);
      return () => clearInterval(timer);
    },
  };
}
