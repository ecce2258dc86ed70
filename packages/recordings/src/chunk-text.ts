// The text of chunks, compressed (zstd, RFC 8878) with the text before it as dictionary: chunks of less than a second are small.
import { constants, zstdCompress, zstdDecompressSync, zstdCompressSync } from "node:zlib";
import { promisify } from "node:util";
import { MAX_TEXT_BYTES } from "./recording-format.ts";

/** Twice a screen of text: more hardly improves compression and takes longer. */
const DICTIONARY_BYTES = 8 * 1024;
/** At this interval a chunk is compressed alone, so that damage to one chunk makes at most 31 others unreadable. */
const ALONE_EVERY = 32;
/** Below this size a thread costs more than the compression. */
const SYNCHRONOUS_BYTES = 32 * 1024;
/** The buffer of a compressor lives until the next full garbage collection, which larger ones would trigger. */
const SMALL_OUTPUT_BYTES = 2048;

const LEVEL = { [constants.ZSTD_c_compressionLevel]: 3 };
const compressInThread = promisify(zstdCompress);

/** The end of the text since the last chunk that was compressed alone. Writer and reader keep the same. */
export class TextContext {
  /** The dictionary is at its end. One buffer for the whole recording: chunks are small, and frequent. */
  readonly #tail = Buffer.alloc(DICTIONARY_BYTES);
  #length = 0;

  get dictionary(): Buffer {
    return this.#tail.subarray(DICTIONARY_BYTES - this.#length);
  }

  add(text: Buffer, usesDictionary: boolean): void {
    const added = text.subarray(-DICTIONARY_BYTES);
    this.#tail.copyWithin(0, added.length);
    added.copy(this.#tail, DICTIONARY_BYTES - added.length);
    this.#length = Math.min(DICTIONARY_BYTES, added.length + (usesDictionary ? this.#length : 0));
  }
}

export interface CompressedText {
  readonly bytes: Buffer;
  readonly usesDictionary: boolean;
}

/** Compresses the text of chunk `number`. */
export async function compressText(text: Buffer, number: number, before: TextContext): Promise<CompressedText> {
  const usesDictionary = number % ALONE_EVERY !== 0 && before.dictionary.length > 0;
  const isSmall = text.length <= SYNCHRONOUS_BYTES;
  const options = {
    params: LEVEL,
    pledgedSrcSize: text.length,
    ...(usesDictionary ? { dictionary: before.dictionary } : {}),
    ...(isSmall ? { chunkSize: SMALL_OUTPUT_BYTES } : {}),
  };
  return { bytes: isSmall ? zstdCompressSync(text, options) : await compressInThread(text, options), usesDictionary };
}

/** The text of a chunk; null when the bytes are not the compressed form of `textBytes` bytes. Never makes more than 2 MB. */
export function decompressText(
  { bytes, usesDictionary }: CompressedText,
  textBytes: number,
  before: TextContext,
): Buffer | null {
  const maxOutputLength = Math.min(Math.max(textBytes, 1), MAX_TEXT_BYTES);
  try {
    const options = usesDictionary ? { maxOutputLength, dictionary: before.dictionary } : { maxOutputLength };
    const text = zstdDecompressSync(bytes, options);
    return text.length === textBytes ? text : null;
  } catch {
    return null; // Damaged, longer than announced, or compressed with a text that is missing: the caller reports it.
  }
}
