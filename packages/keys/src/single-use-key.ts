// Seals under a key that is derived for one message and used for nothing else.
import { randomBytes, type KeyObject } from "node:crypto";
import { aes256GcmOpen, aes256GcmSeal, deriveKey, NONCE_BYTES, TAG_BYTES } from "./primitives.ts";

const SALT_BYTES = 32;

/** Bytes that sealing adds to a plaintext: salt and tag. */
export const OVERHEAD_BYTES = SALT_BYTES + TAG_BYTES;

/**
 * The nonce is twelve zero bytes and is not stored.
 *
 * GCM needs each pair of key and nonce to be used once (NIST SP 800-38D §8). Here the key itself is used once:
 * it comes from HKDF with 32 fresh random bytes, so two messages share a key only when two salts collide,
 * about 2^-128 after 2^64 messages. A random nonce would come from the same generator and the same call, fail
 * together with it, add 12 bytes to each row, and be one more field that can be wrong. A fixed nonce is SP
 * 800-38D's deterministic construction with a single invocation; age wraps its file keys in the same way.
 */
const NONCE = Buffer.alloc(NONCE_BYTES);

/** Returns salt (32) ‖ ciphertext (as long as the plaintext) ‖ tag (16). `label` separates the uses of one key. */
export function sealOnce(key: KeyObject, label: string, associatedData: Uint8Array, plaintext: Uint8Array): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const sealed = aes256GcmSeal(deriveKey(key, salt, label), NONCE, associatedData, plaintext);
  return Buffer.concat([salt, sealed]);
}

/** Opens the output of `sealOnce`; null when it is too short or does not authenticate. */
export function openOnce(key: KeyObject, label: string, associatedData: Uint8Array, sealed: Uint8Array): Buffer | null {
  if (sealed.length < OVERHEAD_BYTES) return null;
  const derived = deriveKey(key, sealed.subarray(0, SALT_BYTES), label);
  return aes256GcmOpen(derived, NONCE, associatedData, sealed.subarray(SALT_BYTES));
}
