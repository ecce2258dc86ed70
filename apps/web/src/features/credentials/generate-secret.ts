// Makes a strong secret for a person who has to invent one.

export const SECRET_LENGTH = 24;

/** Without the pairs that people mix up when reading aloud (0 O, 1 l I) and without quotes, spaces and backslashes. */
const CLASSES = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!#%+-=?@_~"] as const;
const ALPHABET = CLASSES.join("");

/** Fills the array with random bytes, as `crypto.getRandomValues` does. */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => void;

const fillRandom: FillRandom = (bytes) => {
  crypto.getRandomValues(bytes);
};

/** One character, each as likely as the other: bytes beyond the last whole multiple of the alphabet are thrown away. */
function character(fill: FillRandom): string {
  const limit = 256 - (256 % ALPHABET.length);
  const byte = new Uint8Array(1);
  do fill(byte);
  while ((byte[0] ?? limit) >= limit);
  return ALPHABET.charAt((byte[0] ?? 0) % ALPHABET.length);
}

const hasEveryClass = (secret: string): boolean =>
  CLASSES.every((letters) => Array.from(letters).some((letter) => secret.includes(letter)));

/** 24 characters from all four classes, about 143 bits. */
export function generateSecret(fill: FillRandom = fillRandom): string {
  for (;;) {
    const secret = Array.from({ length: SECRET_LENGTH }, () => character(fill)).join("");
    // Thrown away whole and drawn again, so that what is left stays evenly distributed.
    if (hasEveryClass(secret)) return secret;
  }
}
