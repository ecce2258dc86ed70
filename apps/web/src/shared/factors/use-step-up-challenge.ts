// Fetches a challenge when a form opens and again on request; only the form keeps the response.
import { useCallback, useEffect, useRef, useState } from "react";

interface Asked<T> {
  /** Null until the challenge is loaded. */
  answer: T | null;
  /** Why loading failed; null when it succeeded or is in progress. */
  error: unknown;
}

export function useStepUpChallenge<T>(ask: () => Promise<T>): Asked<T> & { retry: () => void } {
  const [asked, setAsked] = useState<Asked<T>>({ answer: null, error: null });
  const first = useRef(ask);
  const load = useCallback(() => {
    first.current().then(
      (answer) => setAsked({ answer, error: null }),
      (error: unknown) => setAsked({ answer: null, error }),
    );
  }, []);
  useEffect(load, [load]);
  return { ...asked, retry: load };
}
