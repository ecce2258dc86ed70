// Message authentication: proves that a process with the keys wrote a value.
import type { KeyObject } from "node:crypto";
import { timingSafeEqual } from "node:crypto";
import { kekKeyObject, type Kek } from "./kek.ts";
import { lengthPrefixed } from "./length-prefixed.ts";
import { deriveKey, hmacSha256 } from "./primitives.ts";

const LABEL = "strongroom/authentication/v1";

/** Derived once for each KEK and disposed of with it. */
const derived = new WeakMap<Kek, { from: KeyObject; key: KeyObject }>();

/**
 * HMAC-SHA-256 over `fields` under a key derived from `kek`: 32 bytes. Two different lists of fields never
 * give the same input. Throws SealedError for a disposed KEK.
 */
export function authenticate(kek: Kek, ...fields: readonly (string | Uint8Array)[]): Buffer {
  const from = kekKeyObject(kek);
  let known = derived.get(kek);
  if (known?.from !== from) {
    known = { from, key: deriveKey(from, Buffer.alloc(0), LABEL) };
    derived.set(kek, known);
  }
  return hmacSha256(known.key, lengthPrefixed(...fields));
}

/** Compares in constant time. Also returns false for a MAC of a different length. */
export function isAuthentic(mac: Uint8Array, expected: Uint8Array): boolean {
  return mac.length === expected.length && timingSafeEqual(mac, expected);
}
