// Records sessions in the configured storage; the digests of their chunks enter the audit trail.
import { RECORDER_LIMITS, startTerminalRecorder } from "@strongroom/recordings";
import type { RecordingSummary, SealedChunk, StoredRecording } from "@strongroom/recordings";
import type { RecordingStorage } from "@strongroom/recordings/storage";
import { recordingSeal } from "@strongroom/keys";
import {
  closeRecording,
  openRecording,
  recordChunksOf,
  recordingKeyOf,
} from "@strongroom/server/features/sessions/index.ts";
import type { RecordedChunks, StoredChunk } from "@strongroom/server/features/sessions/index.ts";
import { newId } from "@strongroom/server/kernel/id.ts";
import type { ProcessKernel } from "@strongroom/server/kernel/kernel.ts";
import { basename } from "node:path";
import { systemTimerClock } from "#gateway/core/clock.ts";
import type { StartRecorder } from "#gateway/core/ports.ts";
import { createSharedDigests } from "./shared-digests.ts";

/** Recordings store their chunks up to this share of the longest interval earlier. */
const FLUSH_SPREAD = 0.2;
/** Digests of one session are written this often. */
const DIGESTS_EVERY_MS = 1300;
/** The retry interval while the database does not accept digests. */
const AGAIN_AFTER_MS = 5000;

export function recordSessions(kernel: ProcessKernel, storage: RecordingStorage): StartRecorder {
  const store = createSharedDigests((groups) => recordChunksOf(kernel, groups));
  return async (session, terminal, events) => {
    const ids = { id: newId(), sessionId: session.id };
    const startedAt = kernel.clock.now();
    const seal = recordingSeal(await recordingKeyOf(kernel, session.safeId));
    const file = await storage.create(ids.id, session.recording.days);
    const digests = digestWriter(kernel, store, ids, file);
    try {
      await openRecording(kernel, { ...ids, storage: storage.kind, path: nameIn(storage, file), startedAt });
      const recorder = await startTerminalRecorder({
        recordingId: ids.id,
        startedAt,
        terminal,
        title: `${session.remoteUser} on ${session.target}`,
        seal,
        store: file,
        // Programs without a terminal receive data, such as files.
        recordsInput: session.recording.hasInput && terminal.type !== undefined,
        // With equal intervals, the chunks of all sessions would be sealed in one burst.
        flushAfter: RECORDER_LIMITS.flushAfter * (1 - FLUSH_SPREAD * Math.random()),
        clock: { now: () => performance.now(), after: systemTimerClock.after },
        onStored: (chunk) => digests.add(chunk),
        ...events,
      });
      return {
        get state() {
          return recorder.state;
        },
        output: (bytes) => recorder.output(bytes),
        input: (bytes) => recorder.input(bytes),
        resize: (cols, rows) => recorder.resize(cols, rows),
        mark: (label) => recorder.mark(label),
        async close(reason, exitStatus) {
          const summary = await recorder.close(reason, exitStatus);
          await digests.close(summary);
          return summary;
        },
      };
    } catch (error) {
      await file.release();
      throw error;
    }
  };
}

/** Relative to the folder of recordings, or the beginning of the keys in the bucket. */
const nameIn = ({ kind }: RecordingStorage, { path }: StoredRecording): string =>
  kind === "folder" ? basename(path) : path;

/** Writes digests in order, every 1.3 s, and retries while the database fails. */
function digestWriter(
  kernel: ProcessKernel,
  store: (group: RecordedChunks) => Promise<void>,
  ids: { id: string; sessionId: string },
  file: StoredRecording,
) {
  let waiting: StoredChunk[] = [];
  let writing: Promise<void> | null = null;
  let isPlanned = false;
  let end: RecordingSummary | null = null;

  async function write(): Promise<void> {
    const chunks = waiting;
    if (chunks.length > 0) await store({ ...ids, chunks });
    waiting = waiting.slice(chunks.length);
    if (end !== null && waiting.length === 0) await closeRecording(kernel, ids, end);
  }

  function plan(milliseconds: number): void {
    if (isPlanned) return;
    isPlanned = true;
    systemTimerClock.after(milliseconds, () => {
      isPlanned = false;
      void flush();
    });
  }

  function flush(): Promise<void> {
    writing ??= write()
      .catch((error: unknown) => {
        kernel.log.warn({ err: error, recording: ids.id }, "digests of a recording could not be stored yet");
        plan(AGAIN_AFTER_MS);
      })
      .finally(() => (writing = null));
    return writing;
  }

  return {
    add({ number, offset, bytes, digest, from, to }: SealedChunk): void {
      waiting.push({ number, offset, bytes: bytes.length, digest, from, to });
      plan(DIGESTS_EVERY_MS);
    },
    async close(summary: RecordingSummary): Promise<void> {
      await file.release();
      await writing;
      end = summary;
      await flush();
    },
  };
}
