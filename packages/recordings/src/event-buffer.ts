// Events that were accepted and are not in a chunk yet, as the text of the chunk.
import { CastWriter, type CastCode } from "./asciicast.ts";
import type { ChunkText } from "./seal-chunk.ts";

const FIRST_BYTES = 4096;
/** A larger buffer is not kept for the next chunk. */
const MOST_KEPT_BYTES = 64 * 1024;
/** The maximum number of UTF-8 bytes for a UTF-16 code unit. */
const BYTES_PER_UNIT = 3;

/** The last event, which may still grow. */
interface Accepted {
  readonly at: number;
  readonly code: CastCode;
  data: string;
}

/** Holds bytes and not one object for each event: with many busy terminals, the garbage collector would pause the gateway. */
export class EventBuffer {
  readonly #writer = new CastWriter();
  #text = Buffer.alloc(0);
  /** The buffer that held the text of the last chunk. */
  #spare = Buffer.alloc(0);
  #length = 0;
  #last: Accepted | null = null;
  #oldest: number | null = null;
  /** Bytes of an incomplete character: their text comes with a later event. */
  #carried = 0;
  #bytes = 0;
  #outputBytes = 0;

  /** Bytes that count against the limit of unstored data. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The time of the oldest event, or null. */
  get oldest(): number | null {
    return this.#oldest;
  }

  /** Adds output that decodes to `data`, which is empty when it ends within its first character. */
  addOutput(at: number, data: string, bytes: number): void {
    if (data === "") {
      this.#carried += bytes;
      return;
    }
    this.#outputBytes += bytes + this.#carried;
    this.add(at, "o", data, bytes + this.#carried);
    this.#carried = 0;
  }

  /** Adds an event of `bytes` bytes. Output of one millisecond becomes one event, and so does a window that is being dragged. */
  add(at: number, code: CastCode, data: string, bytes: number): void {
    this.#bytes += bytes;
    this.#oldest ??= at;
    const last = this.#last;
    if (last?.at === at && last.code === code && (code === "o" || code === "i")) last.data += data;
    else if (last?.at === at && code === "r" && last.code === "r") last.data = data;
    else {
      this.#writeLast();
      this.#last = { at, code, data };
    }
  }

  /**
   * Removes all events and returns them as a chunk's text, which stays unchanged until the call after the next. Returns null
   * if there are no events.
   */
  take(): ChunkText | null {
    if (this.#oldest === null || this.#last === null) return null;
    const to = this.#last.at;
    this.#writeLast();
    const text = this.#text.subarray(0, this.#length);
    const taken = { text, from: this.#oldest, to, outputBytes: this.#outputBytes, bytes: this.#bytes };
    [this.#text, this.#spare] = [this.#spare, this.#text.length > MOST_KEPT_BYTES ? Buffer.alloc(0) : this.#text];
    this.#length = 0;
    this.#last = null;
    this.#oldest = null;
    this.#bytes = 0;
    this.#outputBytes = 0;
    return taken;
  }

  #writeLast(): void {
    if (this.#last === null) return;
    const line = this.#writer.line(this.#last);
    const needed = this.#length + line.length * BYTES_PER_UNIT;
    if (needed > this.#text.length) {
      let size = Math.max(FIRST_BYTES, this.#text.length);
      while (size < needed) size *= 2;
      const larger = Buffer.allocUnsafeSlow(size);
      this.#text.copy(larger, 0, 0, this.#length);
      this.#text = larger;
    }
    this.#length += this.#text.write(line, this.#length);
  }
}
