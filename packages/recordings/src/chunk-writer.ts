// Stores chunks one after the other: retries, reports a store that fails, and gives up after 10 s.
import type { ClosingReason } from "./recording-format.ts";
import type { ChunkStore, RecorderClock, SealedChunk } from "./ports.ts";
import type { ChunkChain, ChunkText } from "./seal-chunk.ts";
import { RECORDER_LIMITS } from "./terminal-recorder-types.ts";

/** Between two attempts, in milliseconds. */
const RETRY_AFTER = 100;
/** How long the closing record may take after the store has failed. */
const CLOSE_WITHIN = 2000;

export interface ChunkWriterOptions {
  readonly chain: ChunkChain;
  readonly store: ChunkStore;
  readonly clock: RecorderClock;
  readonly onStored: (chunk: SealedChunk) => void;
  /** The store has failed for 2 s, or works again after that. */
  readonly onStalled: (isStalled: boolean) => void;
}

/** The store failed for 10 s; `cause` is its last error, if the store returned one. */
export class StoreFailedError extends Error {
  override readonly name = "StoreFailedError";

  constructor(options?: ErrorOptions) {
    super("The recording could not be stored for 10 s.", options);
  }
}

export interface FailedClosing {
  unstoredBytes: number;
  isClosed: boolean;
}

export class ChunkWriter {
  readonly #options: ChunkWriterOptions;
  /** The last call of the store for the chunk that is not part of the chain yet, and whether it succeeded. */
  #lastCall: { chunk: SealedChunk; isStored: Promise<boolean> } | null = null;
  #lastError: unknown = null;
  #hasGivenUp = false;

  constructor(options: ChunkWriterOptions) {
    this.#options = options;
  }

  /** Whether the last attempt failed. */
  get isFailing(): boolean {
    return this.#lastError !== null;
  }

  /** Stores the text as the next chunk. Rejects with StoreFailedError after 10 s. */
  async write(content: ChunkText): Promise<void> {
    const { chain } = this.#options;
    await this.#store(() => chain.seal(content), content);
  }

  /** Stores the closing record. Rejects with StoreFailedError after 10 s. */
  async close(reason: ClosingReason, at: number): Promise<void> {
    const { chain } = this.#options;
    await this.#store(async () => chain.close({ reason, at, unstoredBytes: 0 }), null);
  }

  /**
   * After StoreFailedError for `content` (null: for the closing record): tries once more to store a closing record,
   * after that chunk if it was stored late, otherwise in its place. Returns how many bytes remain unstored, and whether
   * the record is stored.
   */
  async closeFailed(content: ChunkText | null, at: number, unstoredBytes: number): Promise<FailedClosing> {
    const { chain, store, clock } = this.#options;
    const result = { unstoredBytes, isClosed: false };
    const close = async () => {
      const last = this.#lastCall;
      if (last !== null && (await last.isStored)) {
        this.#advance(last.chunk, content);
        result.unstoredBytes -= content?.bytes ?? 0;
        if (last.chunk.isClosing) return;
      }
      const chunk = chain.close({ reason: "storage-failed", at, unstoredBytes: result.unstoredBytes });
      await store.store(chunk);
      this.#advance(chunk, null);
    };
    let cancel = () => {};
    const isLate = new Promise<boolean>((resolve) => {
      cancel = clock.after(CLOSE_WITHIN, () => resolve(false));
    });
    const isClosed = close().then(
      () => true,
      () => false, // Neither the chunk nor the record can be stored: the check of the file reports it.
    );
    result.isClosed = await Promise.race([isClosed, isLate]).finally(cancel);
    return result;
  }

  async #store(make: () => Promise<SealedChunk>, content: ChunkText | null): Promise<void> {
    const { clock, onStalled } = this.#options;
    let isStalled = false;
    const cancel = clock.after(RECORDER_LIMITS.pauseAfter, () => {
      isStalled = true;
      onStalled(true);
    });
    const chunk = await new Promise<SealedChunk>((resolve, reject) => {
      const cancelEnd = clock.after(RECORDER_LIMITS.endAfter, () => {
        this.#hasGivenUp = true;
        reject(new StoreFailedError({ cause: this.#lastError }));
      });
      void this.#attempt(make).then((stored) => {
        cancelEnd();
        if (stored !== null) resolve(stored);
      });
    }).finally(cancel);
    this.#advance(chunk, content);
    if (isStalled) onStalled(false);
  }

  #advance(chunk: SealedChunk, content: ChunkText | null): void {
    this.#lastCall = null;
    this.#options.chain.advance(chunk, content);
    this.#options.onStored(chunk);
  }

  /** Resolves with the stored chunk; null when the writer gave up. */
  async #attempt(make: () => Promise<SealedChunk>): Promise<SealedChunk | null> {
    let chunk: SealedChunk | null = null;
    while (!this.#hasGivenUp) {
      try {
        chunk ??= await make();
        const storing = this.#options.store.store(chunk);
        this.#lastCall = { chunk, isStored: storing.then(() => true).catch(() => false) };
        await storing;
        this.#lastError = null;
        return chunk;
      } catch (error) {
        this.#lastError = error;
        await this.#delay(RETRY_AFTER);
      }
    }
    return null;
  }

  #delay(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(milliseconds, resolve);
    });
  }
}
