// Indexes ended recordings: stores the sealed text of their terminals for search, and marks for the player.
import { recordingSeal } from "@strongroom/keys";
import type { Kek } from "@strongroom/keys";
import { readRecording } from "@strongroom/recordings";
import type { RecordingStorage } from "@strongroom/recordings/storage";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { storageOf } from "../recordings/recording-storage.ts";
import { recordingKeyOf } from "../recordings/store-recording.ts";
import { TextNotReadError, TextReader } from "./read-text.ts";
import type { TextChunk } from "./text-worker.ts";
import { findUnfiltered, findUnindexed, storeFilter, storeText } from "./recording-text.store.ts";
import type { SealedText, UnindexedRecording } from "./recording-text.store.ts";
import { TextParts, keyOf, openText, sealFilter } from "./sealed-text.ts";
import type { Texts } from "./sealed-text.ts";

const AT_ONCE = 100;
/** More text of one recording is not indexed. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_MARKS = 10_000;

/** Indexes the recordings in this server's data folder and in the bucket. */
export async function indexRecordings(kernel: ProcessKernel, signal?: AbortSignal): Promise<void> {
  if (kernel.keys.isSealed) return;
  const reader = new TextReader();
  try {
    for (const recording of await findUnindexed(kernel.database.db, AT_ONCE)) {
      if (signal?.aborted === true) return;
      const storage = await storageOf(kernel.config, recording.storage);
      if (storage !== null && (await storage.has(recording.id)))
        await indexRecording(kernel, recording, storage, reader);
    }
  } finally {
    await reader.close();
  }
  await addFilters(kernel, signal);
}

/**
 * For texts that were stored before filters existed. Text that does not open gets no filter, and does not delay the
 * others.
 */
async function addFilters(kernel: ProcessKernel, signal?: AbortSignal): Promise<void> {
  let texts = await findUnfiltered(kernel.database.db, AT_ONCE, null);
  while (texts.length > 0) {
    for (const text of texts) {
      if (signal?.aborted === true) return;
      await addFilter(kernel, text);
    }
    texts = await findUnfiltered(kernel.database.db, AT_ONCE, texts.at(-1) ?? null);
  }
}

async function addFilter(kernel: ProcessKernel, text: SealedText): Promise<void> {
  const kek = await keyOf(kernel, text.kek_id);
  const lines = kek === null ? null : await openText(kek, text);
  if (kek === null || lines === null) return;
  const filter = sealFilter(kek, text, lines as Texts["lines"][]);
  await kernel.database.transaction((tx) => storeFilter(tx, text, filter));
}

async function indexRecording(
  kernel: ProcessKernel,
  recording: UnindexedRecording,
  storage: RecordingStorage,
  reader: TextReader,
): Promise<void> {
  const { id } = recording;
  const kek = await recordingKeyOf(kernel, recording.safe_id);
  const lines = new TextParts(kek, id, "lines");
  const marks = new TextParts(kek, id, "marks");
  let status: "indexed" | "partial" = "indexed";
  let markCount = 0;
  try {
    for await (const text of reader.read(readableChunks(storage.read(id), kek))) {
      for (const { at, text: line } of text.lines) await lines.add([at, line]);
      for (const { at, kind, text: label } of text.marks) {
        markCount += 1;
        if (markCount <= MOST_MARKS) await marks.add([at, kind, label]);
      }
      if (lines.bytes > MOST_BYTES) throw new TextNotReadError("The recording has too much text.");
    }
  } catch (error) {
    if (!(error instanceof TextNotReadError)) throw error;
    kernel.log.warn({ err: error, recording: id }, "a recording was indexed in part");
    status = "partial";
  }
  await Promise.all([lines.end(), marks.end()]);
  await kernel.database.transaction((tx) => storeText(tx, id, status, [...lines.sealed, ...marks.sealed]));
}

/** Recorded marks are left out: playback shows them anyway. */
async function* readableChunks(bytes: AsyncIterable<Uint8Array>, kek: Kek): AsyncGenerator<TextChunk> {
  for await (const { header, events } of readRecording(bytes, recordingSeal(kek))) {
    yield { header, events: events?.filter(({ code }) => code !== "m") ?? null };
  }
}
