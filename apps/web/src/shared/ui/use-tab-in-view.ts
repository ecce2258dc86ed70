// On a small screen a strip of tabs is wider than the page: the chosen one is brought into view.
import { useEffect, useRef, type RefObject } from "react";

/** For the list of the tabs; each of them says `data-tab`. With `isWide` they stand below each other. */
export function useTabInView(tab: string, isWide = false): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const strip = list.current;
    if (isWide || strip === null || strip.scrollWidth <= strip.clientWidth) return;
    const chosen = strip.querySelector(`[data-tab="${tab}"]`);
    chosen?.scrollIntoView?.({ block: "nearest", inline: "center" });
  }, [tab, isWide]);
  return list;
}
