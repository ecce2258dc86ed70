// Scrolls the selected tab into view when the tabs are wider than a small screen.
import { useEffect, useRef, type RefObject } from "react";

/** A ref for the tab list. Its tabs need a `data-tab` attribute. With `isWide` the tabs are stacked. */
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
