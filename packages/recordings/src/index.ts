// Session recordings: sealed, chained chunks, a recorder that fails closed, and an offline verifier. Storage is a port.
export { CLOSING_REASONS } from "./closing.ts";
export type { ClosingReason } from "./closing.ts";
export type { ChunkSeal, ChunkStore, RecorderClock, SealedChunk } from "./ports.ts";
export type { RecordingDigest, RecordingFinding, RecordingFindingKind, RecordingReport } from "./report.ts";
export { RECORDER_LIMITS, RecorderClosedError } from "./terminal-recorder-types.ts";
export type { RecordingSummary, TerminalRecorder, TerminalRecorderOptions } from "./terminal-recorder-types.ts";
