// Stores recordings as files of the data folder, one per recording.
import { constants } from "node:fs";
import { mkdir, open, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { SealedChunk, StoredRecording } from "./ports.ts";
import { MIN_CHUNK_BYTES } from "./recording-format.ts";
import { scanRecording } from "./scan-recording.ts";

const READ_BYTES = 64 * 1024;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Written after each chunk and overwritten by the next, so that the closing record has space on a full disk. */
const RESERVE = Buffer.alloc(MIN_CHUNK_BYTES);

/**
 * The recording's file in `folder`. Throws TypeError for an id that is not a UUID: an id never leads outside the
 * folder.
 */
export function recordingPath(folder: string, recordingId: string): string {
  if (!UUID.test(recordingId)) throw new TypeError("A recording has a lower-case UUID as its id.");
  return join(folder, `${recordingId}.srr`);
}

/** Creates the recording's file, readable for the server's user only. Rejects when it exists: recordings are never overwritten. */
export async function createRecordingFile(folder: string, recordingId: string): Promise<StoredRecording> {
  const path = recordingPath(folder, recordingId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await flushFolder(folder);
  } catch (error) {
    await file.close();
    throw error;
  }
  let isAfterFailure = false;
  const store = async (chunk: SealedChunk): Promise<void> => {
    const mayBeLonger = isAfterFailure || chunk.isClosing;
    isAfterFailure = true;
    await storeChunk(file, chunk, mayBeLonger);
    isAfterFailure = false;
  };
  return { path, store, release: () => file.close() };
}

/** `mayBeLonger`: the file may hold more than this chunk, and is truncated after it. */
async function storeChunk(
  file: FileHandle,
  { bytes, offset, isClosing }: SealedChunk,
  mayBeLonger: boolean,
): Promise<void> {
  const all = isClosing ? bytes : Buffer.concat([bytes, RESERVE]);
  // A full disk may take a part of the bytes before it fails, so each attempt starts at the chunk's own offset.
  for (let written = 0; written < all.length;) {
    const { bytesWritten } = await file.write(all, written, all.length - written, offset + written);
    written += bytesWritten;
  }
  // Removes the reserve, and what a longer failed attempt left behind.
  if (mayBeLonger) await file.truncate(offset + all.length);
  await file.datasync();
}

/** Removes everything that the recording's file contains, durably. Returns false when there is no file. */
export async function emptyRecordingFile(folder: string, recordingId: string): Promise<boolean> {
  const flags = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
  const file = await open(recordingPath(folder, recordingId), flags).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  });
  if (file === null) return false;
  try {
    await file.truncate(0);
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}

/** Deletes the recording's file, if it exists. */
export async function deleteRecordingFile(folder: string, recordingId: string): Promise<void> {
  try {
    await unlink(recordingPath(folder, recordingId));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return;
  }
  await flushFolder(folder);
}

/** A file's bytes, for `verifyRecording` and `readRecording`. */
export async function* readRecordingFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_BYTES));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

export interface RecordingFileState {
  /** Whole chunks. */
  readonly chunks: number;
  /** The digest of the last whole chunk; null without one. */
  readonly digest: Buffer | null;
  readonly isClosed: boolean;
  /** Bytes after the last whole chunk, left by a write that was interrupted. */
  readonly tornBytes: number;
}

/**
 * The extent of a recording whose gateway stopped. Reads everything and changes nothing: a recording without a closing
 * record stays as it is, as evidence.
 */
export async function inspectRecording(bytes: AsyncIterable<Uint8Array>): Promise<RecordingFileState> {
  const state = { chunks: 0, digest: null as Buffer | null, isClosed: false, tornBytes: 0 };
  for await (const piece of scanRecording(bytes)) {
    if (piece.kind === "chunk") {
      state.chunks += 1;
      state.digest = piece.chunk.digest;
      state.isClosed = piece.chunk.head.kind === "closing";
    }
    if (piece.kind === "damage" && piece.isTail && !piece.isBlank) state.tornBytes = piece.size;
  }
  return state;
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
