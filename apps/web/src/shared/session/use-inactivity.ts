// The inactivity clock as a hook: the remaining time, whether to warn, and a function to stay signed in.
import { useCallback, useEffect, useRef, useState } from "react";
import { watchActivity } from "./activity.ts";
import { createInactivityClock, inactivityAt, type Inactivity, type InactivityLimits } from "./inactivity-clock.ts";

export interface InactivityDeps {
  limits: InactivityLimits;
  lastActivity: () => number;
  /** Called for user activity that counts. */
  onActivity: () => void;
  onToast: () => void;
  onExpire: () => void;
}

interface Shown {
  inactivity: Inactivity;
  /** From the warning until the user answers it or is active in another tab. */
  isWarned: boolean;
}

/**
 * Any activity resets the clock, even during the warning (AUTH-51). It does not close the warning (AUTH-60): `stay`
 * does, and so does activity in another tab.
 */
export function useInactivity(parts: InactivityDeps): Shown & { stay: () => void } {
  const current = useRef(parts);
  useEffect(() => {
    current.current = parts;
  });
  const [shown, setShown] = useState<Shown>(() => ({ inactivity: inactivityAt(0, parts.limits), isWarned: false }));

  useEffect(() => {
    let lastHere = current.current.lastActivity();
    const clock = createInactivityClock({
      now: Date.now,
      lastActivity: () => current.current.lastActivity(),
      limits: () => current.current.limits,
      onChange: (inactivity) => {
        const isActiveElsewhere = current.current.lastActivity() > lastHere;
        setShown((before) => {
          const isWarned = inactivity.phase !== "active" || (before.isWarned && !isActiveElsewhere);
          // Avoids a render every second while the user is active.
          return isWarned || before.isWarned ? { inactivity, isWarned } : before;
        });
      },
      onToast: () => current.current.onToast(),
      onExpire: () => current.current.onExpire(),
    });
    const stopClock = clock.start();
    const stopWatch = watchActivity(() => {
      // Check first: after the computer slept, the first mouse move must not revive an expired session.
      if (clock.check().phase === "expired") return;
      current.current.onActivity();
      lastHere = current.current.lastActivity();
    });
    return () => {
      stopWatch();
      stopClock();
    };
  }, []);

  const stay = useCallback(() => {
    current.current.onActivity();
    setShown({ inactivity: inactivityAt(0, current.current.limits), isWarned: false });
  }, []);
  return { ...shown, stay };
}
