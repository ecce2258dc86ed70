// Generates a strong random secret.
import { characterOf, fillRandom, type FillRandom } from "#shared/format/random-character.ts";

export const SECRET_LENGTH = 24;

/** Excludes easily confused characters (0 O, 1 l I), quotes, spaces and backslashes. */
const CLASSES = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!#%+-=?@_~"] as const;
const ALPHABET = CLASSES.join("");

const hasEveryClass = (secret: string): boolean =>
  CLASSES.every((letters) => Array.from(letters).some((letter) => secret.includes(letter)));

/** Returns 24 characters from all four classes, about 143 bits. */
export function generateSecret(fill: FillRandom = fillRandom): string {
  for (;;) {
    const secret = Array.from({ length: SECRET_LENGTH }, () => characterOf(ALPHABET, fill)).join("");
    // Rejects the whole secret and draws again, so that the distribution stays uniform.
    if (hasEveryClass(secret)) return secret;
  }
}
