// Finds the chunks of a recording file, even of a damaged one, in bounded memory.
import {
  announcedSize,
  FILE_HEADER_BYTES,
  isZero,
  MAX_CHUNK_BYTES,
  MIN_CHUNK_BYTES,
  readChunk,
  type ReadChunk,
} from "./recording-format.ts";

/** Bytes that a search for the next chunk may hash in vain: a file made of chunk-like bytes would cost hours. */
const SEARCH_BUDGET = 256 * 1024 * 1024;

export type Piece =
  | { readonly kind: "header"; readonly bytes: Buffer }
  /** A chunk whose check matches. Its position and its links are not checked yet. */
  | { readonly kind: "chunk"; readonly chunk: ReadChunk }
  /** Bytes that do not form a whole chunk. `isTail`: nothing follows. `isBlank`: all zero. */
  | {
      readonly kind: "damage";
      readonly offset: number;
      readonly size: number;
      readonly isTail: boolean;
      readonly isBlank: boolean;
    };

/** Yields the file's header, then chunks and what lies between them. Views are valid until the next piece. */
export async function* scanRecording(source: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  const input = new Input(source);
  try {
    yield* scan(input);
  } finally {
    await input.close();
  }
}

async function* scan(input: Input): AsyncGenerator<Piece> {
  await input.fill(FILE_HEADER_BYTES);
  if (input.length === 0) return;
  yield { kind: "header", bytes: input.take(FILE_HEADER_BYTES) };
  let budget = SEARCH_BUDGET;
  for (;;) {
    await input.fill(MIN_CHUNK_BYTES);
    if (input.length === 0) return;
    const chunk = await wholeChunk(input);
    if (chunk !== null) {
      yield { kind: "chunk", chunk };
      input.take(chunk.size);
      continue;
    }
    const damage = { kind: "damage" as const, offset: input.offset, size: 0, isTail: false, isBlank: true };
    while (!damage.isTail) {
      const skipped = input.take(budget > 0 ? nextPlausible(input.bytes) : input.length);
      damage.size += skipped.length;
      damage.isBlank &&= isZero(skipped);
      await input.fill(MIN_CHUNK_BYTES);
      damage.isTail = input.length === 0;
      const size = input.length < MIN_CHUNK_BYTES ? null : announcedSize(input.bytes);
      if (size === null || budget <= 0) continue;
      budget -= size;
      if ((await wholeChunk(input)) !== null) break;
    }
    yield damage;
  }
}

/** The chunk at the start of the input; null when the bytes there are not a whole chunk. */
async function wholeChunk(input: Input): Promise<ReadChunk | null> {
  if (input.length < MIN_CHUNK_BYTES) return null;
  const size = announcedSize(input.bytes);
  if (size === null) return null;
  await input.fill(size);
  const chunk = readChunk(input.bytes);
  return chunk?.isWhole === true ? chunk : null;
}

/** How many bytes to skip, at least one, to where a chunk may begin: cheap checks before a hash is computed. */
function nextPlausible(bytes: Buffer): number {
  for (let at = 1; at + MIN_CHUNK_BYTES <= bytes.length; at++) {
    const isKind = bytes[at + 4] === 1 || bytes[at + 4] === 2;
    if (isKind && bytes[at + 6] === 0 && bytes[at + 7] === 0 && announcedSize(bytes.subarray(at)) !== null) return at;
  }
  return Math.max(1, bytes.length - MIN_CHUNK_BYTES + 1);
}

/** Bytes of the source that were read and not taken. */
class Input {
  readonly #source: AsyncIterator<Uint8Array>;
  #pieces: Uint8Array[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  /** Of the next byte in the file. */
  offset = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Reads until `wanted` bytes are available, or the source ends. */
  async fill(wanted: number): Promise<void> {
    let missing = Math.min(wanted, MAX_CHUNK_BYTES) - this.#bytes.length;
    if (missing <= 0) return;
    while (missing > 0 && !this.#hasEnded) {
      const next = await this.#source.next();
      if (next.done === true) this.#hasEnded = true;
      else {
        this.#pieces.push(next.value);
        missing -= next.value.length;
      }
    }
    this.#bytes = Buffer.concat([this.#bytes, ...this.#pieces]);
    this.#pieces = [];
  }

  async close(): Promise<void> {
    if (!this.#hasEnded) await this.#source.return?.();
  }

  take(count: number): Buffer {
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(taken.length);
    this.offset += taken.length;
    return taken;
  }
}
