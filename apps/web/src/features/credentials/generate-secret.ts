// Makes a strong secret for a person who has to invent one.
import { characterOf, fillRandom, type FillRandom } from "#shared/format/random-character.ts";

export const SECRET_LENGTH = 24;

/** Without the pairs that people mix up when reading aloud (0 O, 1 l I) and without quotes, spaces and backslashes. */
const CLASSES = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!#%+-=?@_~"] as const;
const ALPHABET = CLASSES.join("");

const hasEveryClass = (secret: string): boolean =>
  CLASSES.every((letters) => Array.from(letters).some((letter) => secret.includes(letter)));

/** 24 characters from all four classes, about 143 bits. */
export function generateSecret(fill: FillRandom = fillRandom): string {
  for (;;) {
    const secret = Array.from({ length: SECRET_LENGTH }, () => characterOf(ALPHABET, fill)).join("");
    // Thrown away whole and drawn again, so that what is left stays evenly distributed.
    if (hasEveryClass(secret)) return secret;
  }
}
