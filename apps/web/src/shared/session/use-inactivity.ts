// The inactivity clock as a hook: the remaining time, and a function to stay signed in.
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

/**
 * Before the warning, any activity counts. During the warning only its buttons (or activity in another tab) count: an
 * accidental mouse move must not extend the session or close the dialog.
 */
export function useInactivity(parts: InactivityDeps): { inactivity: Inactivity; stay: () => void } {
  const current = useRef(parts);
  useEffect(() => {
    current.current = parts;
  });
  const [inactivity, setInactivity] = useState<Inactivity>(() => inactivityAt(0, parts.limits));

  useEffect(() => {
    const clock = createInactivityClock({
      now: Date.now,
      lastActivity: () => current.current.lastActivity(),
      limits: () => current.current.limits,
      onChange: (next) =>
        // Avoids a render every second while the user is active.
        setInactivity((before) => (before.phase === "active" && next.phase === "active" ? before : next)),
      onToast: () => current.current.onToast(),
      onExpire: () => current.current.onExpire(),
    });
    const stopClock = clock.start();
    const stopWatch = watchActivity(() => {
      // Check first: after the computer slept, the first mouse move must not revive an expired session.
      if (clock.check().phase === "active") current.current.onActivity();
    });
    return () => {
      stopWatch();
      stopClock();
    };
  }, []);

  const stay = useCallback(() => {
    current.current.onActivity();
    setInactivity(inactivityAt(0, current.current.limits));
  }, []);
  return { inactivity, stay };
}
