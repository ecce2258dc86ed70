// Seals the chunks of session recordings.
import { kekKeyObject, type Kek } from "./kek.ts";
import { openOnce, sealOnce } from "./single-use-key.ts";

const LABEL = "strongroom/recording-chunk/v1";

/** The seal that packages/recordings asks for (its `ChunkSeal`). */
export interface RecordingSeal {
  readonly kekId: string;
  seal(associatedData: Uint8Array, plaintext: Uint8Array): Buffer;
  open(associatedData: Uint8Array, sealed: Uint8Array): Buffer | null;
}

/**
 * Seals each chunk under a key derived for it alone (HKDF-SHA-256 over the KEK and a fresh salt; AES-256-GCM), bound to
 * its associated data. `open` returns null for bytes that do not authenticate. Both throw SealedError once the KEK is
 * disposed of.
 */
export function recordingSeal(kek: Kek): RecordingSeal {
  return {
    kekId: kek.id,
    seal: (associatedData, plaintext) => sealOnce(kekKeyObject(kek), LABEL, associatedData, plaintext),
    open: (associatedData, sealed) => openOnce(kekKeyObject(kek), LABEL, associatedData, sealed),
  };
}
