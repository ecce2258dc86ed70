// The findings of a recording's check, in words for readers who do not know the format.
import type { ClosingReason } from "./recording-format.ts";

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
  /** Chunks between two others, or at the end, are missing. */
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
  /**
   * The first and last chunk that the finding concerns; null when it concerns none. `to` is null when the last one is
   * unknown.
   */
  readonly chunks: { readonly from: number; readonly to: number | null } | null;
  /** The time span that the finding concerns, in milliseconds since the start; `to` is null when the end is unknown. */
  readonly span: { readonly from: number; readonly to: number | null } | null;
  readonly message: string;
}

export interface RecordingReport {
  /** No findings: every chunk is present, in order and unchanged, up to the closing record. */
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

const MAX_FINDINGS = 1000;

/** Collects findings, in bounded memory. */
export class Findings {
  readonly kept: RecordingFinding[] = [];
  omitted = 0;

  add(
    kind: RecordingFindingKind,
    chunks: RecordingFinding["chunks"],
    span: RecordingFinding["span"],
    message: string,
  ): void {
    if (this.kept.length < MAX_FINDINGS) this.kept.push({ kind, chunks, span, message });
    else this.omitted += 1;
  }
}

/** `Chunk 4 (0:00:01.500 to 0:00:02.000) was`, `Chunks 4 to 6 (…) were`. */
export function chunksAre(from: number, to: number, span: RecordingFinding["span"], verb: "is" | "was"): string {
  const plural = { is: "are", was: "were" }[verb];
  const when = span === null ? "" : ` (${timeOf(span.from)} to ${span.to === null ? "the end" : timeOf(span.to)})`;
  return from === to ? `Chunk ${from}${when} ${verb}` : `Chunks ${from} to ${to}${when} ${plural}`;
}

/** `0:12:31.500`. */
export function timeOf(milliseconds: number): string {
  const whole = Math.round(milliseconds);
  const padded = (value: number, length: number) => String(value).padStart(length, "0");
  const [hours, minutes, seconds] = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1000) % 60].map(Math.floor);
  return `${hours}:${padded(minutes ?? 0, 2)}:${padded(seconds ?? 0, 2)}.${padded(whole % 1000, 3)}`;
}
