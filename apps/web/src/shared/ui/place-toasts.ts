// The position of the toasts. They move below the control that was just pressed if they would cover it.

export const MAX_TOASTS = 20;
export const TOASTS_WIDTH = 380;
/** The top of the toasts, for `toast-place.module.css`. Unset means the top of the window. */
export const TOP_OF_TOASTS = "--toasts-top";

/** Pixels between the toasts and the window's edge. */
const MARGIN = 16;
const GAP = 8;
/** The part of the window's height below which toasts are never moved. */
const LOWEST = 0.6;
const TOAST_HEIGHT = 120;

const CONTROLS = "button, a, input, select, textarea, label, [role=button], [role=switch], [role=menuitem]";

let pressed: Element | null = null;

/** Records the pressed control. Returns a function that stops recording. */
export function watchPresses(): () => void {
  const onPress = ({ target }: Event) => {
    pressed = target instanceof Element ? target.closest(CONTROLS) : null;
  };
  // Pressing a key on a button fires a click too.
  window.addEventListener("pointerdown", onPress, { capture: true, passive: true });
  window.addEventListener("click", onPress, { capture: true, passive: true });
  return () => {
    window.removeEventListener("pointerdown", onPress, { capture: true });
    window.removeEventListener("click", onPress, { capture: true });
  };
}

/** The top in pixels at which toasts do not cover `control`; null for the default position. */
export function topBelow(control: DOMRect, window: { innerWidth: number; innerHeight: number }): number | null {
  const isBeside = control.right < window.innerWidth - TOASTS_WIDTH - 2 * MARGIN;
  const isBelow = control.top > MARGIN + TOAST_HEIGHT;
  const isLow = control.bottom > window.innerHeight * LOWEST;
  return isBeside || isBelow || isLow ? null : control.bottom + GAP;
}

/** Called before a toast is shown. */
export function placeToasts(): void {
  const root = document.documentElement;
  const isThere = pressed?.isConnected === true;
  const top = isThere ? topBelow((pressed as Element).getBoundingClientRect(), window) : null;
  if (top === null) root.style.removeProperty(TOP_OF_TOASTS);
  else root.style.setProperty(TOP_OF_TOASTS, `${Math.round(top)}px`);
}
