// Builds recordings for tests.
import { Kek, recordingSeal } from "@strongroom/keys";
import {
  readRecording,
  startTerminalRecorder,
  type ReadRecordingChunk,
  type RecordingDigest,
  type TerminalRecorder,
  type TerminalRecorderOptions,
} from "../src/index.ts";
import { FakeClock } from "./fake-clock.ts";
import { MemoryStore } from "./memory-store.ts";

export const RECORDING_ID = "0b6f6c0e-8f4e-4d7e-9b8a-3f1c2d4e5f60";
export const kek = Kek.generate("safe:test");
export const seal = recordingSeal(kek);

export interface StartedRecorder {
  recorder: TerminalRecorder;
  clock: FakeClock;
  store: MemoryStore;
  /** The recorder's reports, in order. */
  reports: string[];
}

export async function aRecorder(options: Partial<TerminalRecorderOptions> = {}): Promise<StartedRecorder> {
  const clock = new FakeClock();
  const store = new MemoryStore();
  const reports: string[] = [];
  const recorder = await startTerminalRecorder({
    recordingId: RECORDING_ID,
    startedAt: new Date("2026-11-23T10:00:00Z"),
    terminal: { cols: 80, rows: 24, type: "xterm-256color" },
    title: "root on db1",
    seal,
    store,
    clock,
    onPaused: (message) => reports.push(message),
    onResumed: () => reports.push("resumed"),
    onFailed: (message) => reports.push(message),
    ...options,
  });
  return { recorder, clock, store, reports };
}

/** A closed recording: chunk 0 with the header, `count` chunks of output 600 ms apart, and the closing record. */
export async function aRecording(count = 5): Promise<{ bytes: Buffer; chunks: Buffer[]; digests: RecordingDigest[] }> {
  const { recorder, clock, store } = await aRecorder({ flushAfter: 500 });
  for (let index = 0; index < count; index++) {
    await recorder.output(Buffer.from(`line ${index} of the output\r\n`));
    await clock.pass(600);
  }
  await recorder.close("ended");
  return {
    bytes: store.bytes,
    /** The bytes as in the file; the first chunk includes the file's header. */
    chunks: store.stored.map(({ bytes }) => bytes),
    digests: store.stored.map(({ number, digest }) => ({ recording: RECORDING_ID, chunk: number, digest })),
  };
}

// oxlint-disable-next-line typescript/require-await
export async function* inPieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) yield bytes.subarray(at, at + Math.max(1, size));
}

/** Everything that can be read of a recording, in order. */
export async function chunksOf(bytes: Uint8Array): Promise<ReadRecordingChunk[]> {
  const chunks: ReadRecordingChunk[] = [];
  for await (const chunk of readRecording(inPieces(bytes), seal)) chunks.push(chunk);
  return chunks;
}
