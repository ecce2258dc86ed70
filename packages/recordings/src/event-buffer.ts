// Events that were accepted and are not in a chunk yet.
import { CastWriter, type CastCode } from "./asciicast.ts";
import type { ChunkText } from "./seal-chunk.ts";

interface Accepted {
  readonly at: number;
  readonly code: CastCode;
  data: string;
}

export class EventBuffer {
  readonly #writer = new CastWriter();
  #events: Accepted[] = [];
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
    return this.#events[0]?.at ?? null;
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
    const last = this.#events.at(-1);
    if (last?.at === at && last.code === code && (code === "o" || code === "i")) last.data += data;
    else if (last?.at === at && code === "r" && last.code === "r") last.data = data;
    else this.#events.push({ at, code, data });
  }

  /** Removes all events and returns them as a chunk's text. Returns null if there are no events. */
  take(): ChunkText | null {
    const [first] = this.#events;
    const last = this.#events.at(-1);
    if (first === undefined || last === undefined) return null;
    const text = Buffer.from(this.#events.map((event) => this.#writer.line(event)).join(""));
    const taken = { text, from: first.at, to: last.at, outputBytes: this.#outputBytes, bytes: this.#bytes };
    this.#events = [];
    this.#bytes = 0;
    this.#outputBytes = 0;
    return taken;
  }
}
