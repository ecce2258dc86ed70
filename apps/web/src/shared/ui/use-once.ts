// Runs an effect once when a component mounts, even when React's strict mode repeats it.
import { useEffect, useRef } from "react";

export function useOnce(begin: () => void): void {
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    begin();
  });
}
