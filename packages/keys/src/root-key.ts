// The root key: 32 bytes that wrap every key-encryption key and are never stored in the database.
import { createSecretKey, randomBytes, type KeyObject } from "node:crypto";
import { SealedError } from "./errors.ts";
import { hkdfSha256, KEY_BYTES } from "./primitives.ts";

const ID_LABEL = "strongroom/root-key-id/v1";
const ID_BYTES = 16;

let keyObjectIn: (root: RootKey) => KeyObject;

/**
 * A root key. `id` (32 hex digits) is derived from it by HKDF and reveals nothing about it; it distinguishes a
 * wrong key file from the right one. OpenSSL keeps the key itself, outside the JavaScript heap: printing or
 * cloning shows the id at most.
 */
export class RootKey {
  readonly id: string;
  #key: KeyObject | null;

  private constructor(key: KeyObject) {
    this.#key = key;
    this.id = hkdfSha256(key, Buffer.alloc(0), ID_LABEL, ID_BYTES).toString("hex");
  }

  static {
    keyObjectIn = (root) => {
      if (root.#key === null) throw new SealedError();
      return root.#key;
    };
  }

  static generate(): RootKey {
    const bytes = randomBytes(KEY_BYTES);
    const root = RootKey.fromBytes(bytes);
    bytes.fill(0);
    return root;
  }

  /** Keeps a copy of exactly 32 bytes, else throws RangeError. */
  static fromBytes(bytes: Uint8Array): RootKey {
    if (bytes.length !== KEY_BYTES) throw new RangeError(`A root key must have ${KEY_BYTES} bytes.`);
    return new RootKey(createSecretKey(bytes));
  }

  /** A copy for a second owner: each disposes of its own. Throws SealedError after `dispose`. */
  copy(): RootKey {
    return new RootKey(keyObjectIn(this));
  }

  /** Drops the key; every later use throws SealedError. */
  dispose(): void {
    this.#key = null;
  }
}

/** For this package only. Throws SealedError after `dispose`. */
export function rootKeyObject(root: RootKey): KeyObject {
  return keyObjectIn(root);
}

export function isRootKeyId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{32}$/.test(text);
}
