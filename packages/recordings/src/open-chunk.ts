// Opens chunks in order and reads their events.
import { CastError, castHeaderLine, CastReader, type CastEvent, type CastHeader } from "./asciicast.ts";
import { decompressText, TextContext } from "./chunk-text.ts";
import type { ChunkSeal } from "./ports.ts";
import { sealContext, type ReadChunk } from "./recording-format.ts";

export type OpenedChunk =
  /** Times count from the start of the recording, even after a gap. */
  | { readonly outcome: "opened"; readonly text: Buffer; readonly events: readonly CastEvent[] }
  /** The chunk was changed, or sealed with a different key, or for a different recording or position. */
  | { readonly outcome: "refused" }
  /** The chunk is genuine and compressed with the text of an earlier chunk that is missing or damaged. */
  | { readonly outcome: "needs-earlier" }
  /** The chunk is genuine, but this version cannot read its text. */
  | { readonly outcome: "unreadable"; readonly problem: string };

/** The terminal size assumed for a recording whose first chunk is missing. */
const DEFAULT_HEADER: CastHeader = { cols: 80, rows: 24 };

export class ChunkOpener {
  readonly #recordingId: string;
  readonly #seal: ChunkSeal;
  /** Null after a gap, until a chunk that was compressed alone. */
  #context: TextContext | null = new TextContext();
  #next = 0;
  /** Of chunk 0. */
  header: CastHeader = DEFAULT_HEADER;

  constructor(recordingId: string, seal: ChunkSeal) {
    this.#recordingId = recordingId;
    this.#seal = seal;
  }

  open({ head, headBytes, sealed }: ReadChunk): OpenedChunk {
    const plaintext = this.#seal.open(sealContext(this.#recordingId, headBytes), sealed);
    if (head.number !== this.#next) this.#context = null;
    this.#next = head.number + 1;
    if (plaintext === null) {
      this.#context = null;
      return { outcome: "refused" };
    }
    if (head.kind === "closing") return { outcome: "opened", text: plaintext, events: [] };
    const { usesDictionary, textBytes } = head;
    if (!usesDictionary) this.#context = new TextContext();
    if (this.#context === null) return { outcome: "needs-earlier" };
    const text = decompressText({ bytes: plaintext, usesDictionary }, textBytes, this.#context);
    if (text === null) {
      this.#context = null;
      return { outcome: "unreadable", problem: "its text is not compressed as its head says" };
    }
    this.#context.add(text, usesDictionary);
    return this.#read(text, head);
  }

  #read(text: Buffer, { number, from }: { number: number; from: number }): OpenedChunk {
    const reader = new CastReader();
    try {
      if (number > 0) reader.push(Buffer.from(castHeaderLine(this.header)));
      const events = [...reader.push(text), ...reader.end()];
      this.header = reader.header ?? this.header;
      // Intervals count from the event before, which is in another chunk; the chunk's head names the time itself.
      const shift = from - (events[0]?.at ?? 0);
      return { outcome: "opened", text, events: events.map((event) => ({ ...event, at: event.at + shift })) };
    } catch (error) {
      if (!(error instanceof CastError)) throw error;
      return { outcome: "unreadable", problem: error.message };
    }
  }
}
