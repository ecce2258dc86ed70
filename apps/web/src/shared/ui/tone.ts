// The six tones of states, as colours of the theme.
import type { CSSProperties } from "react";

export type Tone = "success" | "danger" | "caution" | "warning" | "info" | "neutral";

/** Background, text and border of a tone, for a `style` prop. */
export const toneStyle = (tone: Tone): CSSProperties => ({
  backgroundColor: `var(--tone-${tone}-bg)`,
  color: `var(--tone-${tone}-fg)`,
  borderColor: `var(--tone-${tone}-line)`,
});
