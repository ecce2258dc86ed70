// Session recordings: sealed, chained chunks, a recorder that fails closed, and an offline verifier. Storage is a port.
export { CLOSING_REASONS } from "./recording-format.ts";
export type { ClosingReason } from "./recording-format.ts";
export type { ChunkSeal, ChunkStore, RecorderClock, SealedChunk, StoredRecording } from "./ports.ts";
export type { RecordingDigest, RecordingFinding, RecordingFindingKind, RecordingReport } from "./report.ts";
export { RECORDER_LIMITS, RecorderClosedError } from "./terminal-recorder-types.ts";
export type { RecordingSummary, TerminalRecorder, TerminalRecorderOptions } from "./terminal-recorder-types.ts";
export { CastError, castHeaderLine, CastReader, CastWriter, parseSize } from "./asciicast.ts";
export type { CastCode, CastEvent, CastHeader } from "./asciicast.ts";
export { StoreFailedError } from "./chunk-writer.ts";
export { readRecording, recordingHeader } from "./read-recording.ts";
export type { ReadRecordingChunk } from "./read-recording.ts";
export { startTerminalRecorder } from "./terminal-recorder.ts";
export { verifyRecording } from "./verify-recording.ts";
export type { VerifyRecordingOptions } from "./verify-recording.ts";
export { digestDetails, parseDigestLine } from "./digest-line.ts";
