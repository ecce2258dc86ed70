// Reads a recording with its key, for playback, export and search.
import type { CastEvent, CastHeader } from "./asciicast.ts";
import { ChunkOpener } from "./open-chunk.ts";
import type { ChunkSeal } from "./ports.ts";
import { readFileHeader, type FileHeader } from "./recording-format.ts";
import { scanRecording } from "./scan-recording.ts";

export interface ReadRecordingChunk {
  readonly number: number;
  /** The times of the chunk's first and last event, in milliseconds since the start. */
  readonly from: number;
  readonly to: number;
  /** The recorded terminal; 80 × 24 when chunk 0 is missing. */
  readonly header: CastHeader;
  /** Null when the chunk was changed, or cannot be read without an earlier one that is missing. `verifyRecording` says why. */
  readonly events: readonly CastEvent[] | null;
}

/** The file's header: which recording it is and which key opens it. Null when the bytes are not a recording. */
export async function recordingHeader(source: AsyncIterable<Uint8Array>): Promise<FileHeader | null> {
  for await (const piece of scanRecording(source)) {
    const read = piece.kind === "header" ? readFileHeader(piece.bytes) : null;
    return read?.outcome === "read" ? read.header : null;
  }
  return null;
}

/**
 * Yields what can be read, chunk by chunk, in the order of the file. Chunks that are missing or damaged are left out: play what
 * is there, and use `verifyRecording` to tell whether that is everything. Yields nothing for a file without a header.
 */
export async function* readRecording(
  source: AsyncIterable<Uint8Array>,
  seal: ChunkSeal,
): AsyncGenerator<ReadRecordingChunk> {
  let opener: ChunkOpener | null = null;
  for await (const piece of scanRecording(source)) {
    if (piece.kind === "header") {
      const read = readFileHeader(piece.bytes);
      if (read.outcome !== "read") return;
      opener = new ChunkOpener(read.header.recordingId, seal);
    }
    if (piece.kind !== "chunk" || opener === null || piece.chunk.head.kind === "closing") continue;
    const { number, from, to } = piece.chunk.head;
    const opened = opener.open(piece.chunk);
    yield { number, from, to, header: opener.header, events: opened.outcome === "opened" ? opened.events : null };
  }
}
