// Masks values for display.

const MASK = "••••••";

/**
 * At most the first eighth, and never more than 4 characters, of the value, and a mask of constant length: the preview shows neither
 * the value's end nor its length. Values shorter than 8 characters are masked whole.
 */
export function previewOf(value: string): string {
  const shown = value.length < 8 ? 0 : Math.min(4, Math.floor(value.length / 8));
  return `${printable(value.slice(0, shown))}${MASK}`;
}

/** Values may have control characters that a terminal obeys. */
const printable = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "·");
