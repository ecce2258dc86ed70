// The interface of a terminal recorder, which the gateway calls for every byte of a session.
import type { ClosingReason } from "./recording-format.ts";
import type { ChunkSeal, ChunkStore, RecorderClock, SealedChunk } from "./ports.ts";

/** The bounds of what a crash can lose. Times in milliseconds. */
export const RECORDER_LIMITS = {
  /** Output (and recorded input) that was accepted and is not stored yet. */
  unstoredBytes: 256 * 1024,
  /** Nothing more is accepted while the oldest unstored byte is older than this. */
  unstoredAge: 1000,
  /** A chunk is stored at most this long after its first event, or earlier when it is large. */
  flushAfter: 700,
  /** A store that does not succeed for this long pauses the session. */
  pauseAfter: 2000,
  /** A store that does not succeed for this long ends the session. */
  endAfter: 10_000,
} as const;

export interface TerminalRecorderOptions {
  /** A lower-case UUID. */
  readonly recordingId: string;
  readonly startedAt: Date;
  readonly terminal: { readonly cols: number; readonly rows: number; readonly type?: string };
  /** Shown by players, such as `root on db1`. */
  readonly title?: string;
  readonly seal: ChunkSeal;
  readonly store: ChunkStore;
  readonly clock: RecorderClock;
  /** Record input too. Text that the target does not echo is masked. Default: false. */
  readonly recordsInput?: boolean;
  /** Milliseconds after its first event when a chunk is stored, at most `RECORDER_LIMITS.flushAfter`, the default. */
  readonly flushAfter?: number;
  /** After each chunk is durable, in order: its digest belongs in the audit trail. Must not throw. */
  readonly onStored?: (chunk: SealedChunk) => void;
  /** The store has failed for 2 s. `message` is for the user. */
  readonly onPaused?: (message: string) => void;
  /** The store works again. */
  readonly onResumed?: () => void;
  /** The store has failed for 10 s: the caller must end the session. `message` is for the user. */
  readonly onFailed?: (message: string) => void;
}

export interface RecordingSummary {
  readonly reason: ClosingReason;
  /** Chunks stored, the closing record included. */
  readonly chunks: number;
  /** Bytes of terminal output that were stored. */
  readonly outputBytes: number;
  /** Bytes that were accepted, so possibly shown, and could not be stored. */
  readonly unstoredBytes: number;
  /** The digest of the last stored chunk. */
  readonly digest: Buffer;
  /** False when not even the closing record could be stored. */
  readonly isClosed: boolean;
}

/**
 * Records one terminal session and fails closed. Every method accepts its event when its promise resolves; only then may the
 * caller act on it. Call each direction one at a time: wait for the promise before reading more. After `close`, or after
 * the store failed for 10 s, they reject with RecorderClosedError.
 */
export interface TerminalRecorder {
  readonly state: "recording" | "paused" | "closed";
  /** Resolves when `bytes` may be shown to the user. Usually immediately; later while too much is not yet stored. */
  output(bytes: Uint8Array): Promise<void>;
  /** Resolves when `bytes` may be sent to the target: call it for all input, even when input is not recorded. */
  input(bytes: Uint8Array): Promise<void>;
  /** Records a change of the user's window. Of several changes that wait for the store, only the last one is kept. */
  resize(cols: number, rows: number): void;
  /** Marks a moment, such as `transfer: upload /etc/hosts (120 bytes)`. Longer labels are cut to 1000 characters. */
  mark(label: string): Promise<void>;
  /**
   * Stores the remaining events and the closing record. Does not reject; call it once the session has ended, for any
   * reason.
   */
  close(reason: ClosingReason, exitStatus?: number): Promise<RecordingSummary>;
}

/** The recording has ended, so nothing more may be shown or sent. */
export class RecorderClosedError extends Error {
  override readonly name = "RecorderClosedError";

  constructor(message = "The recording of this session has ended.", options?: ErrorOptions) {
    super(message, options);
  }
}
