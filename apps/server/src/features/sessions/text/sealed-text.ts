// Seals and opens the text of recordings and its filters. The database sees how long they are, and nothing of their content.
import { KekError, recordingSeal } from "@strongroom/keys";
import type { Kek } from "@strongroom/keys";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { ProcessKernel } from "#kernel/kernel.ts";
import type { SealedText, TextKind } from "./recording-text.store.ts";
import { TextFilter } from "./text-filter.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** A part holds a little more than this. */
export const PART_BYTES = 128 * 1024;
const MAX_PART_BYTES = 16 * PART_BYTES;

type Place = Pick<SealedText, "recording_id" | "kind" | "part">;

/** INVARIANT: a text opens only as this part of this recording. Chunks of recordings have other associated data. */
const contextOf = ({ recording_id: id, kind, part }: Place): Buffer =>
  Buffer.from(`strongroom/recording-text/v1\n${id}\n${kind}\n${part}`);

const filterContextOf = ({ recording_id: id, part }: Place): Buffer =>
  Buffer.from(`strongroom/recording-text-filter/v1\n${id}\n${part}`);

export async function sealText(kek: Kek, place: Place, content: readonly unknown[]): Promise<SealedText> {
  const packed = await compress(Buffer.from(JSON.stringify(content)));
  const filter = place.kind === "lines" ? sealFilter(kek, place, content as Texts["lines"][]) : null;
  return { ...place, kek_id: kek.id, sealed: recordingSeal(kek).seal(contextOf(place), packed), filter };
}

export function sealFilter(kek: Kek, place: Place, lines: readonly Texts["lines"][]): Buffer {
  const filter = new TextFilter();
  for (const [, line] of lines) filter.add(line);
  return recordingSeal(kek).seal(filterContextOf(place), filter.bytes());
}

/** Null when the bytes were changed or belong elsewhere. */
export const openFilter = (kek: Kek, place: Place, sealed: Buffer): Buffer | null =>
  recordingSeal(kek).open(filterContextOf(place), sealed);

/** Null when the bytes were changed or belong elsewhere. */
export async function openText(kek: Kek, text: SealedText): Promise<unknown[] | null> {
  const packed = recordingSeal(kek).open(contextOf(text), text.sealed);
  if (packed === null) return null;
  return JSON.parse((await decompress(packed, { maxOutputLength: MAX_PART_BYTES })).toString()) as unknown[];
}

/** The content of all parts of one kind, as the callers stored it. */
export interface Texts {
  lines: [at: number, text: string];
  marks: [at: number, kind: string, text: string];
}

/** Collects texts and cuts them into parts. */
export class TextParts<Kind extends TextKind> {
  readonly #kek: Kek;
  readonly #place: Omit<Place, "part" | "kind"> & { kind: Kind };
  readonly sealed: SealedText[] = [];
  #waiting: Texts[Kind][] = [];
  #waitingBytes = 0;
  bytes = 0;

  constructor(kek: Kek, recordingId: string, kind: Kind) {
    this.#kek = kek;
    this.#place = { recording_id: recordingId, kind };
  }

  async add(text: Texts[Kind]): Promise<void> {
    const size = Buffer.byteLength(text.at(-1) as string) + 16;
    this.#waiting.push(text);
    this.#waitingBytes += size;
    this.bytes += size;
    if (this.#waitingBytes >= PART_BYTES) await this.end();
  }

  /** Seals what is left. */
  async end(): Promise<void> {
    if (this.#waiting.length === 0) return;
    this.sealed.push(await sealText(this.#kek, { ...this.#place, part: this.sealed.length }, this.#waiting));
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

/** Null when the key no longer exists. */
export async function keyOf({ keys }: Pick<ProcessKernel, "keys">, id: string): Promise<Kek | null> {
  try {
    return await keys.kekById(id);
  } catch (error) {
    if (error instanceof KekError) return null;
    throw error;
  }
}
