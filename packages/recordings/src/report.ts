// The findings of a recording's check, in words for readers who do not know the format.
import type { ClosingReason } from "./closing.ts";

/** A digest that the audit trail holds: it proves this chunk and every chunk before it. */
export interface RecordingDigest {
  /** The recording's id, a lower-case UUID. */
  readonly recording: string;
  readonly chunk: number;
  /** 32 bytes. */
  readonly digest: Buffer;
}

const FINDING_KINDS = [
  /** The bytes of a chunk, or of the file's header, were changed. */
  "altered",
  /** Chunks between two others, or at the end, are not there. */
  "missing",
  /** A chunk appears again. */
  "repeated",
  /** A chunk comes after a later one. */
  "reordered",
  /** There are bytes that belong to no chunk. */
  "foreign",
  /** The last chunk was not written completely. */
  "torn",
  /** There is no closing record, so the end may be missing. */
  "unclosed",
  /** The recorder itself reports output that it could not store. */
  "unstored",
] as const;
export type RecordingFindingKind = (typeof FINDING_KINDS)[number];

export interface RecordingFinding {
  readonly kind: RecordingFindingKind;
  /** The first and last chunk that it concerns; null when it concerns none. `to` is null when the last one is unknown. */
  readonly chunks: { readonly from: number; readonly to: number | null } | null;
  /** The time span that it concerns, in milliseconds since the start; `to` is null when the end is unknown. */
  readonly span: { readonly from: number; readonly to: number | null } | null;
  readonly message: string;
}

export interface RecordingReport {
  /** No findings: every chunk is there, in order and unchanged, up to the closing record. */
  readonly isComplete: boolean;
  /** Null when the file has no readable header. */
  readonly recording: string | null;
  readonly startedAt: Date | null;
  /** Whole chunks that were read, the closing record included. */
  readonly chunks: number;
  /** Bytes of terminal output in them, as their headers say. */
  readonly outputBytes: number;
  /** From the start to the last event, in milliseconds. */
  readonly duration: number;
  readonly closing: { readonly reason: ClosingReason; readonly unstoredBytes: number } | null;
  /** The last chunk that a given digest proves; null when none does. */
  readonly provenTo: number | null;
  /** Whether a key was given and every chunk was opened with it. */
  readonly isOpened: boolean;
  readonly findings: readonly RecordingFinding[];
  /** Findings beyond the first 1000: counted, not kept. */
  readonly omitted: number;
}
