// Uniformly distributed characters from the browser's cryptographic random number generator.

/** Fills the array with random bytes, as `crypto.getRandomValues` does. */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => void;

export const fillRandom: FillRandom = (bytes) => {
  crypto.getRandomValues(bytes);
};

/**
 * A uniform whole number from 0 to `count` - 1 (`count` at most 256): rejects bytes beyond the last whole multiple of
 * `count`.
 */
export function randomBelow(count: number, fill: FillRandom): number {
  const limit = 256 - (256 % count);
  const byte = new Uint8Array(1);
  do fill(byte);
  while ((byte[0] ?? limit) >= limit);
  return (byte[0] ?? 0) % count;
}

/** One character of the alphabet, which has 1 to 256. */
export const characterOf = (alphabet: string, fill: FillRandom): string =>
  alphabet.charAt(randomBelow(alphabet.length, fill));
