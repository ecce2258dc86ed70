// The inactivity clock for a screen: what is left, and how to say "I am still here".
import { useCallback, useEffect, useRef, useState } from "react";
import { watchActivity } from "./activity.ts";
import { createInactivityClock, inactivityAt, type Inactivity, type InactivityLimits } from "./inactivity-clock.ts";

export interface InactivityParts {
  limits: InactivityLimits;
  lastActivity: () => number;
  /** The person did something that counts. */
  onActivity: () => void;
  onToast: () => void;
  onExpire: () => void;
}

/**
 * While nothing warns, any activity counts. Once the warning shows, only an answer to it does (or activity in another
 * tab): a nudged mouse must not answer for the person, and the buttons must stay reachable.
 */
export function useInactivity(parts: InactivityParts): { inactivity: Inactivity; stay: () => void } {
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
        // An active person's screen need not be drawn every second.
        setInactivity((before) => (before.phase === "active" && next.phase === "active" ? before : next)),
      onToast: () => current.current.onToast(),
      onExpire: () => current.current.onExpire(),
    });
    const stopClock = clock.start();
    const stopWatch = watchActivity(() => {
      // Checked first: after a sleep of the computer the first movement must not revive what has ended.
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
