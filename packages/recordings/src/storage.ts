// The port of a storage that contains recordings, each by its id, and the storage in a folder.
import { access } from "node:fs/promises";
import {
  createRecordingFile,
  deleteRecordingFile,
  emptyRecordingFile,
  readRecordingFile,
  recordingPath,
} from "./file-store.ts";
import type { StoredRecording } from "./ports.ts";

/** All functions throw TypeError for an id that is not a lower-case UUID: an id never leads outside the storage. */
export interface RecordingStorage {
  readonly kind: "folder" | "s3";
  /**
   * Begins a recording. `lockedDays`: a storage with object lock keeps each chunk for this many days; null does not
   * lock.
   */
  create(recordingId: string, lockedDays: number | null): Promise<StoredRecording>;
  /** The bytes of the recording's file. Throws if it does not exist. */
  read(recordingId: string): AsyncIterable<Uint8Array>;
  /** False if it does not exist or the storage cannot be reached. */
  has(recordingId: string): Promise<boolean>;
  /** Removes the content and leaves a trace for `delete`. Returns false when there is no recording. */
  empty(recordingId: string): Promise<boolean>;
  /** Removes the rest after `empty`, if any. */
  delete(recordingId: string): Promise<void>;
  /** Rejects when the storage cannot be used, such as with wrong credentials. */
  check(): Promise<void>;
}

export const folderStorage = (folder: string): RecordingStorage => ({
  kind: "folder",
  create: (id) => createRecordingFile(folder, id),
  read: (id) => readRecordingFile(recordingPath(folder, id)),
  has: (id) =>
    access(recordingPath(folder, id)).then(
      () => true,
      () => false,
    ),
  empty: (id) => emptyRecordingFile(folder, id),
  delete: (id) => deleteRecordingFile(folder, id),
  // The folder is created with the first recording.
  check: () => Promise.resolve(),
});
