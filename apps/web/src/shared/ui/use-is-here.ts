// Whether a component is still mounted, for asynchronous callbacks.
import { useCallback, useEffect, useRef } from "react";

/** Returns a function that reports whether the component is mounted now. */
export function useIsHere(): () => boolean {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  return useCallback(() => isHere.current, []);
}
