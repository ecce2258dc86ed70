// The element of a terminal. It creates the screen once and removes it on unmount.
import { useEffect, useRef } from "react";
import { Screen, type ScreenOptions } from "./screen.ts";
import classes from "./screen-view.module.css";

export interface ScreenViewProps extends ScreenOptions {
  label: string;
  /** Fills the height of its parent. */
  isFilling?: boolean;
  /** Called with null on unmount. */
  onScreen: (screen: Screen | null) => void;
}

/** Only the first values of the properties count. */
export function ScreenView({ label, isFilling = false, onScreen, ...options }: ScreenViewProps) {
  const element = useRef<HTMLDivElement>(null);
  const first = useRef({ onScreen, options });
  useEffect(() => {
    const { onScreen: tell, options: given } = first.current;
    if (element.current === null) return undefined;
    const screen = new Screen(element.current, given);
    tell(screen);
    return () => {
      tell(null);
      screen.dispose();
    };
  }, []);
  return (
    // The keyboard can scroll only what can be focused.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.frame} data-filling={isFilling} role="group" aria-label={label} tabIndex={0}>
      <div ref={element} className={classes.screen} />
    </div>
  );
}
