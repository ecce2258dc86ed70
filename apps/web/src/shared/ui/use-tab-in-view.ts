// Scrolls the selected tab into view when the tabs are wider than a small screen, and marks the edges that hide tabs.
import { useEffect, useRef, type RefObject } from "react";

/** Sets `data-more-left` and `data-more-right` for `scroll-strip.module.css`. */
export function markHiddenEdges(strip: HTMLElement): void {
  const left = strip.scrollLeft;
  const right = strip.scrollWidth - strip.clientWidth - left;
  // Positions are fractions of a pixel when the page is zoomed.
  strip.toggleAttribute("data-more-left", left > 1);
  strip.toggleAttribute("data-more-right", right > 1);
}

/** A ref for the tab list. Its tabs need a `data-tab` attribute. With `isWide` the tabs are stacked. */
export function useTabInView(tab: string, isWide = false): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const strip = list.current;
    if (strip === null) return undefined;
    const mark = () => markHiddenEdges(strip);
    const show = () => {
      if (isWide || strip.scrollWidth <= strip.clientWidth) return;
      strip.querySelector(`[data-tab="${tab}"]`)?.scrollIntoView?.({ block: "nearest", inline: "center" });
    };
    show();
    let width = strip.clientWidth;
    // Counts that load later make tabs wider, and a phone that is turned makes the strip narrower.
    const resizes = new ResizeObserver(() => {
      if (strip.clientWidth !== width) show();
      width = strip.clientWidth;
      mark();
    });
    for (const each of [strip, ...strip.children]) resizes.observe(each);
    strip.addEventListener("scroll", mark, { passive: true });
    return () => {
      resizes.disconnect();
      strip.removeEventListener("scroll", mark);
    };
  }, [tab, isWide]);
  return list;
}
