// Whether a screen is still there, for what comes later.
import { useCallback, useEffect, useRef } from "react";

/** The answer's function tells whether the component is on screen now. */
export function useIsHere(): () => boolean {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  return useCallback(() => isHere.current, []);
}
