// Makes the chunks of one recording: compressed, sealed, and chained by their digests.
import type { ClosingReason } from "./recording-format.ts";
import { compressText, TextContext } from "./chunk-text.ts";
import type { ChunkSeal, SealedChunk } from "./ports.ts";
import {
  CHECK_BYTES,
  chunkDigest,
  encodeChunkHead,
  encodeFileHeader,
  headerDigest,
  sealContext,
  SEAL_BYTES,
  type ChunkHead,
} from "./recording-format.ts";

export interface ChunkText {
  readonly text: Buffer;
  readonly from: number;
  readonly to: number;
  /** Bytes of terminal output in the chunk. */
  readonly outputBytes: number;
  /** Bytes of everything in the chunk, as they count against the limit of unstored data. */
  readonly bytes: number;
}

export interface ClosingRecord {
  readonly reason: ClosingReason;
  readonly at: number;
  readonly unstoredBytes: number;
}

/**
 * The end of a recording that is being written. `seal` and `close` make the next chunk without moving on: only a chunk that was
 * stored is part of the chain, so `advance` follows.
 */
export class ChunkChain {
  readonly #recordingId: string;
  readonly #seal: ChunkSeal;
  readonly #fileHeader: Buffer;
  readonly #context = new TextContext();
  #previous: Buffer;
  #number = 0;
  #offset = 0;
  #outputBytes = 0;
  #usesDictionary = false;

  constructor(recordingId: string, startedAt: Date, seal: ChunkSeal) {
    this.#recordingId = recordingId;
    this.#seal = seal;
    this.#fileHeader = encodeFileHeader({ recordingId, kekId: seal.kekId, startedAt });
    this.#previous = headerDigest(this.#fileHeader);
  }

  get chunks(): number {
    return this.#number;
  }

  /** Bytes of terminal output in the chunks so far. */
  get outputBytes(): number {
    return this.#outputBytes;
  }

  /** The digest of the last chunk. */
  get digest(): Buffer {
    return this.#previous;
  }

  /** Rejects when the seal throws. */
  async seal({ text, from, to, outputBytes }: ChunkText): Promise<SealedChunk> {
    const { bytes, usesDictionary } = await compressText(text, this.#number, this.#context);
    this.#usesDictionary = usesDictionary;
    return this.#chunk(
      { kind: "events", usesDictionary, outputBytes, textBytes: text.length, from, to, ...this.#place() },
      bytes,
    );
  }

  /** Throws when the seal throws. */
  close({ reason, at, unstoredBytes }: ClosingRecord): SealedChunk {
    const outputBytes = this.#outputBytes;
    return this.#chunk(
      { kind: "closing", reason, outputBytes, unstoredBytes, from: at, to: at, ...this.#place() },
      Buffer.alloc(0),
    );
  }

  /** Call it when `chunk` is durable; `content` is what it was made from, if it holds events. */
  advance(chunk: SealedChunk, content: ChunkText | null): void {
    this.#number = chunk.number + 1;
    this.#offset = chunk.offset + chunk.bytes.length;
    this.#previous = chunk.digest;
    if (content === null) return;
    this.#outputBytes += content.outputBytes;
    this.#context.add(content.text, this.#usesDictionary);
  }

  #place(): { number: number; previous: Buffer } {
    return { number: this.#number, previous: this.#previous };
  }

  #chunk(head: ChunkHead, plaintext: Buffer): SealedChunk {
    const headBytes = encodeChunkHead(head, plaintext.length + SEAL_BYTES);
    const sealed = this.#seal.seal(sealContext(this.#recordingId, headBytes), plaintext);
    const digest = chunkDigest(headBytes, sealed);
    const before = head.number === 0 ? [this.#fileHeader] : [];
    return {
      number: head.number,
      offset: this.#offset,
      bytes: Buffer.concat([...before, headBytes, sealed, digest.subarray(0, CHECK_BYTES)]),
      digest,
      from: head.from,
      to: head.to,
      isClosing: head.kind === "closing",
    };
  }
}
