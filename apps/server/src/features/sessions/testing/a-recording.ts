// Test factory for recordings: writes the same files and rows as a gateway.
import { recordingSeal } from "@strongroom/keys";
import { startTerminalRecorder } from "@strongroom/recordings";
import type { RecordingSummary, SealedChunk, TerminalRecorder } from "@strongroom/recordings";
import type { TestApp } from "#testing/test-app.ts";
import { newId } from "#kernel/id.ts";
import { recordingStorage } from "../recordings/recording-storage.ts";
import { closeRecording, openRecording, recordChunks, recordingKeyOf } from "../recordings/store-recording.ts";

const STORED_AFTER_MS = 500;

/** Time passes only when a test advances it. */
function manualClock() {
  const timers = new Set<{ at: number; act: () => void }>();
  let now = 0;
  return {
    now: () => now,
    after(milliseconds: number, act: () => void) {
      const timer = { at: now + milliseconds, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass(milliseconds: number) {
      now += milliseconds;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.act();
      }
    },
  };
}

export interface TestRecording {
  id: string;
  sessionId: string;
  path: string;
  recorder: TerminalRecorder;
  /** The chunks that the file holds. */
  chunks: SealedChunk[];
  /** Records output as a separate chunk, `later` milliseconds after the last one. */
  show(text: string, later?: number): Promise<void>;
  /** Stores the digests of the file's first `count` chunks in the database. */
  store(count?: number): Promise<void>;
  /** Closes the file as a gateway does; `isAudited`: records this in the database. */
  close(isAudited?: boolean): Promise<RecordingSummary>;
  /** Closes the file without a closing record, like a gateway that is killed. */
  leave(): Promise<void>;
}

/** A recording of an open session, in the storage that the app is configured with. */
export async function aRecording(app: TestApp, sessionId: string, safeId: string): Promise<TestRecording> {
  const ids = { id: newId(), sessionId };
  const clock = manualClock();
  const chunks: SealedChunk[] = [];
  const startedAt = new Date();
  let whenStored: (() => void) | null = null;
  const storage = await recordingStorage(app.config);
  const file = await storage.create(ids.id, null);
  await openRecording(app.kernel, { ...ids, storage: storage.kind, path: file.path, startedAt });
  const recorder = await startTerminalRecorder({
    recordingId: ids.id,
    startedAt,
    terminal: { cols: 80, rows: 24, type: "xterm-256color" },
    seal: recordingSeal(await recordingKeyOf(app.kernel, safeId)),
    store: file,
    clock,
    flushAfter: STORED_AFTER_MS,
    onStored(chunk) {
      chunks.push(chunk);
      whenStored?.();
    },
  });
  const store: TestRecording["store"] = async (count = chunks.length) => {
    const known = chunks.slice(0, count).map(({ bytes, ...chunk }) => ({ ...chunk, bytes: bytes.length }));
    await recordChunks(app.kernel, ids, known);
  };
  return {
    ...ids,
    path: file.path,
    recorder,
    chunks,
    store,
    async show(text, later = 1000) {
      const stored = new Promise<void>((resolve) => (whenStored = resolve));
      clock.pass(later);
      await recorder.output(Buffer.from(text));
      clock.pass(STORED_AFTER_MS);
      await stored;
    },
    leave: () => file.release(),
    async close(isAudited = true) {
      const summary = await recorder.close("ended");
      await file.release();
      if (isAudited) {
        await store();
        await closeRecording(app.kernel, ids, summary);
      }
      return summary;
    },
  };
}
