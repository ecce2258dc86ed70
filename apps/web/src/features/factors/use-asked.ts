// Asks the server once when a form appears, and again when the person says so; the answer is kept by the form alone.
import { useCallback, useEffect, useRef, useState } from "react";

interface Asked<T> {
  /** Null until it is there. */
  answer: T | null;
  /** Why there is none; null when there is, or while it is on its way. */
  error: unknown;
}

export function useAsked<T>(ask: () => Promise<T>): Asked<T> & { retry: () => void } {
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
