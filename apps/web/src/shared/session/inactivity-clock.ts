// The one inactivity clock: it drives the warning toast, the timeout dialog and the sign-out from the same times.

/** AUTH-55. */
export const CHECK_EVERY_MS = 1000;

/** All in milliseconds. */
export interface InactivityLimits {
  timeoutMs: number;
  /** The dialog shows when this much or less is left. */
  warningMs: number;
  /** The toast shows when this much or less is left; never when the whole timeout is no longer than that. */
  toastMs: number;
}

export interface Inactivity {
  phase: "active" | "warning" | "expired";
  remainingMs: number;
  isToastDue: boolean;
}

/** Where an idle time stands against the limits (AUTH-50, AUTH-58, AUTH-64). */
export function inactivityAt(idleMs: number, limits: InactivityLimits): Inactivity {
  const remainingMs = Math.max(0, limits.timeoutMs - Math.max(0, idleMs));
  if (remainingMs === 0) return { phase: "expired", remainingMs, isToastDue: false };
  const isToastDue = remainingMs <= limits.toastMs && limits.timeoutMs > limits.toastMs;
  return { phase: remainingMs <= limits.warningMs ? "warning" : "active", remainingMs, isToastDue };
}

export interface InactivityClockParts {
  now: () => number;
  /** Milliseconds since 1970. */
  lastActivity: () => number;
  limits: () => InactivityLimits;
  onChange: (inactivity: Inactivity) => void;
  /** Once per idle period (AUTH-51). */
  onToast: () => void;
  /** Once per idle period. */
  onExpire: () => void;
}

export interface InactivityClock {
  /** Looks at the time now; `start` does it every second. */
  check: () => Inactivity;
  /** Returns how to stop. */
  start: () => () => void;
}

export function createInactivityClock(parts: InactivityClockParts): InactivityClock {
  // An idle period is named by the activity that began it, so any activity resets both.
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
