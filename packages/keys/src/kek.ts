// Key-encryption keys: one per vault, safe or purpose, stored only in a form wrapped by the root key.
import { createSecretKey, randomBytes, randomUUID, type KeyObject } from "node:crypto";
import { KekError, SealedError } from "./errors.ts";
import { lengthPrefixed } from "./length-prefixed.ts";
import { KEY_BYTES } from "./primitives.ts";
import { rootKeyObject, type RootKey } from "./root-key.ts";
import { openOnce, OVERHEAD_BYTES, sealOnce } from "./single-use-key.ts";

const LABEL = "strongroom/kek-wrap/v1";
const MAGIC = Buffer.from("SRK");
const VERSION = 1;
const HEADER = Buffer.from([...MAGIC, VERSION]);
const WRAPPED_BYTES = HEADER.length + KEY_BYTES + OVERHEAD_BYTES;

/**
 * A KEK as stored in the database. `wrapped` is bound to the other three fields: if any of them changes, the KEK does
 * not open.
 */
export type WrappedKek = {
  /** Lower-case UUID. */
  readonly id: string;
  readonly purpose: string;
  /** Id of the root key that opens the KEK. */
  readonly rootKeyId: string;
  /** 84 bytes. */
  readonly wrapped: Uint8Array;
};

let keyObjectIn: (kek: Kek) => KeyObject;
let kekOf: (id: string, purpose: string, key: KeyObject) => Kek;

/** An open KEK. The key is held by OpenSSL, outside the JavaScript heap; `id` and `purpose` are public. */
export class Kek {
  readonly id: string;
  /** "vault:<userId>", "safe:<id>", "token-signing", "audit-signing", "fingerprint", … */
  readonly purpose: string;
  #key: KeyObject | null;

  private constructor(id: string, purpose: string, key: KeyObject) {
    this.id = id;
    this.purpose = purpose;
    this.#key = key;
  }

  static {
    keyObjectIn = (kek) => {
      if (kek.#key === null) throw new SealedError();
      return kek.#key;
    };
    kekOf = (id, purpose, key) => new Kek(id, purpose, key);
  }

  /** A new random key. Throws TypeError unless the purpose has the form `word` or `word:id`. */
  static generate(purpose: string): Kek {
    if (!isKekPurpose(purpose)) throw new TypeError("A KEK's purpose must be a word, or a word, a colon and an id.");
    const bytes = randomBytes(KEY_BYTES);
    const kek = new Kek(randomUUID(), purpose, createSecretKey(bytes));
    bytes.fill(0);
    return kek;
  }

  /** Drops the key; every later use throws SealedError. */
  dispose(): void {
    this.#key = null;
  }
}

/** Wraps `kek` for storage under `root`, with a freshly derived key each time. */
export function wrapKek(root: RootKey, kek: Kek): WrappedKek {
  const { id, purpose } = kek;
  const bytes = kekKeyObject(kek).export();
  const sealed = sealOnce(rootKeyObject(root), LABEL, associatedData(id, purpose, root.id), bytes);
  bytes.fill(0);
  return { id, purpose, rootKeyId: root.id, wrapped: Buffer.concat([HEADER, sealed]) };
}

/** Opens a stored KEK. Throws KekError when it is malformed, changed, or wrapped by a different root key. */
export function unwrapKek(root: RootKey, stored: WrappedKek): Kek {
  const { id, purpose, rootKeyId, wrapped } = stored;
  if (!isKekId(id) || !isKekPurpose(purpose)) throw new KekError("kek.malformed", id);
  if (wrapped.length < HEADER.length || !MAGIC.equals(wrapped.subarray(0, MAGIC.length))) {
    throw new KekError("kek.malformed", id);
  }
  if (wrapped[MAGIC.length] !== VERSION) throw new KekError("kek.unknown-version", id);
  if (wrapped.length !== WRAPPED_BYTES) throw new KekError("kek.malformed", id);
  if (rootKeyId !== root.id) throw new KekError("kek.other-root-key", id);

  const sealed = wrapped.subarray(HEADER.length);
  const bytes = openOnce(rootKeyObject(root), LABEL, associatedData(id, purpose, rootKeyId), sealed);
  if (bytes === null) throw new KekError("kek.refused", id);
  const kek = kekOf(id, purpose, createSecretKey(bytes));
  bytes.fill(0);
  return kek;
}

/** For this package only. Throws SealedError after `dispose`. */
export function kekKeyObject(kek: Kek): KeyObject {
  return keyObjectIn(kek);
}

function associatedData(id: string, purpose: string, rootKeyId: string): Buffer {
  return lengthPrefixed(HEADER, id, purpose, rootKeyId);
}

function isKekId(id: unknown): id is string {
  return typeof id === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}

function isKekPurpose(purpose: unknown): purpose is string {
  return typeof purpose === "string" && purpose.length <= 200 && /^[a-z][a-z0-9-]*(:[A-Za-z0-9._-]+)?$/.test(purpose);
}
