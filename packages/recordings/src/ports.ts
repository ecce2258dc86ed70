// The ports of this package: a seal, a store and a clock.

/** Seals the chunks of recordings under one key-encryption key. `recordingSeal` of packages/keys implements it. */
export interface ChunkSeal {
  /** The id of the key-encryption key, a lower-case UUID. The file names it. */
  readonly kekId: string;
  /** Returns salt (32) ‖ ciphertext (as long as the plaintext) ‖ tag (16). May throw while the keys are sealed. */
  seal(associatedData: Uint8Array, plaintext: Uint8Array): Buffer;
  /** Returns the plaintext; null when the bytes or the associated data were changed. */
  open(associatedData: Uint8Array, sealed: Uint8Array): Buffer | null;
}

/** A chunk that is ready to be stored. */
export interface SealedChunk {
  /** From 0, without gaps. */
  readonly number: number;
  /** The offset of the chunk's bytes in the recording's file. */
  readonly offset: number;
  /** Chunk 0 begins with the file's header. */
  readonly bytes: Buffer;
  /** SHA-256, 32 bytes. Covers every earlier chunk too. */
  readonly digest: Buffer;
  /** The times of the chunk's first and last event, in milliseconds since the start of the recording. */
  readonly from: number;
  readonly to: number;
  /** The closing record: nothing follows it. */
  readonly isClosing: boolean;
}

/** Where a recording is stored. */
export interface ChunkStore {
  /**
   * Resolves when the chunk is durable. After a rejection the recorder calls again, with the same chunk or with a closing
   * record at the same offset, so each call replaces everything from `offset` on. Calls never overlap.
   */
  store(chunk: SealedChunk): Promise<void>;
}

/** A recording that is being written. */
export interface StoredRecording extends ChunkStore {
  /** Where it is in its storage. */
  readonly path: string;
  /** Call it after the recorder's `close`. */
  release(): Promise<void>;
}

export interface RecorderClock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Calls `act` once after `milliseconds`. Returns a function that cancels it. */
  after(milliseconds: number, act: () => void): () => void;
}
