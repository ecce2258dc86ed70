// Something that begins when a component appears, once, however often React tries the component out.
import { useEffect, useRef } from "react";

export function useOnce(begin: () => void): void {
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    begin();
  });
}
