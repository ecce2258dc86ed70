// The list of the most common passwords: sorted, truncated hashes, read from disk when a password is first chosen.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** 5 bytes of SHA-256 each: a false positive in one of 22 million look-ups. Made by `scripts/make-blocked-passwords.mjs`. */
const HASH_BYTES = 5;
const FILE = join(import.meta.dirname, "../../../data/blocked-passwords.bin");

let list: Buffer | null = null;

/** `text` in lower case and NFKC. */
export function isOnBlocklist(text: string): boolean {
  list ??= readFileSync(FILE);
  const wanted = createHash("sha256").update(text).digest().subarray(0, HASH_BYTES);
  let [low, high] = [0, list.length / HASH_BYTES - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = wanted.compare(list, middle * HASH_BYTES, (middle + 1) * HASH_BYTES);
    if (order === 0) return true;
    if (order < 0) high = middle - 1;
    else low = middle + 1;
  }
  return false;
}
