// Asciicast v3, the text format of terminal recordings (docs.asciinema.org/manual/asciicast/v3).

/** Output, input, marker, resize, exit. Other codes are ignored, as the format requires. */
export const CAST_CODES = ["o", "i", "m", "r", "x"] as const;
export type CastCode = (typeof CAST_CODES)[number];

export interface CastHeader {
  readonly cols: number;
  readonly rows: number;
  /** Such as `xterm-256color`. */
  readonly type?: string;
  /** When the recording began, in seconds since 1970. */
  readonly timestamp?: number;
  readonly title?: string;
}

export interface CastEvent {
  /** Milliseconds since the start of the recording. */
  readonly at: number;
  readonly code: CastCode;
  /** Text; for `r` such as `80x24`, for `x` an exit status. */
  readonly data: string;
}

/** A terminal larger than this is a mistake or an attack on the reader's memory. */
export const MAX_COLUMNS = 1000;
export const MAX_ROWS = 500;

const MAX_HEADER = 64 * 1024;
/** A chunk holds at most 256 kB of output, and JSON writes a byte as six characters at most. */
const MAX_LINE = 2 * 1024 * 1024;
/** One year. */
const MAX_SECONDS = 366 * 24 * 3600;

/** The header line, with its newline. */
export function castHeaderLine({ cols, rows, type, timestamp, title }: CastHeader): string {
  return `${JSON.stringify({ version: 3, term: { cols, rows, type }, timestamp, title })}\n`;
}

/**
 * Writes events as lines. Intervals are differences of whole milliseconds since the start, so that rounding errors do not
 * add up.
 */
export class CastWriter {
  #last = 0;

  /** The event's line, with its newline. Times never run backwards: an earlier `at` counts as the last one. */
  line({ at, code, data }: CastEvent): string {
    const now = Math.max(this.#last, Math.round(at));
    const interval = ((now - this.#last) / 1000).toFixed(3);
    this.#last = now;
    return `[${interval},"${code}",${JSON.stringify(data.toWellFormed())}]\n`;
  }
}

/** Text that is not asciicast v3, with the line (from 1) and what is wrong with it. */
export class CastError extends Error {
  override readonly name = "CastError";
  readonly line: number;

  constructor(line: number, problem: string) {
    super(`Line ${line} ${problem}.`);
    this.line = line;
  }
}

/**
 * Reads asciicast v3 piece by piece, without trusting it: lines, sizes and times are bounded, and memory too (one line).
 * `push` and `end` throw CastError.
 */
export class CastReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #header: CastHeader | null = null;
  #rest = "";
  #line = 0;
  /** In milliseconds, not rounded: intervals may be microseconds. */
  #at = 0;

  /** Null until the header line was read. */
  get header(): CastHeader | null {
    return this.#header;
  }

  /** The events whose lines end in `bytes`. */
  push(bytes: Uint8Array): CastEvent[] {
    return this.#take(this.#decode(bytes, true));
  }

  /** The last event, if its line had no newline. Throws when there was no header. */
  end(): CastEvent[] {
    const events = this.#take(this.#decode(new Uint8Array(), false));
    const last = this.#rest === "" ? [] : this.#take("\n");
    if (this.#header === null) throw new CastError(1, "is missing: there is no header");
    return [...events, ...last];
  }

  #decode(bytes: Uint8Array, hasMore: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream: hasMore });
    } catch {
      throw new CastError(this.#line + 1, "is not UTF-8");
    }
  }

  #take(text: string): CastEvent[] {
    const lines = text.split("\n");
    lines[0] = this.#rest + (lines[0] ?? "");
    this.#rest = lines.pop() ?? "";
    const events: CastEvent[] = [];
    for (const line of lines) {
      const event = this.#read(line);
      if (event !== null) events.push(event);
    }
    if (this.#rest.length > this.#longest) throw new CastError(this.#line + 1, "is too long");
    return events;
  }

  get #longest(): number {
    return this.#header === null ? MAX_HEADER : MAX_LINE;
  }

  #read(text: string): CastEvent | null {
    this.#line += 1;
    if (text.length > this.#longest) throw new CastError(this.#line, "is too long");
    if (this.#header === null) {
      this.#header = readHeader(parse(text, this.#line), this.#line);
      return null;
    }
    if (text.startsWith("#") || text.trim() === "") return null;
    return this.#readEvent(parse(text, this.#line));
  }

  #readEvent(value: unknown): CastEvent | null {
    if (!Array.isArray(value) || value.length !== 3)
      throw new CastError(this.#line, "is not an event of three elements");
    const [interval, code, data] = value as unknown[];
    if (typeof interval !== "number" || !(interval >= 0) || interval > MAX_SECONDS) {
      throw new CastError(this.#line, "has an interval that is not a number of seconds");
    }
    if (typeof code !== "string" || typeof data !== "string") throw new CastError(this.#line, "has no code or no data");
    this.#at += interval * 1000;
    if (this.#at > MAX_SECONDS * 1000) throw new CastError(this.#line, "is more than a year after the start");
    if (!isCode(code)) return null;
    if (code === "r" && parseSize(data) === null) throw new CastError(this.#line, "has a size that no terminal has");
    if (code === "x" && !/^-?\d{1,10}$/.test(data))
      throw new CastError(this.#line, "has an exit status that is not a number");
    return { at: Math.round(this.#at), code, data };
  }
}

/** The columns and rows of an `r` event's data; null when it has a different form or an impossible size. */
export function parseSize(data: string): { cols: number; rows: number } | null {
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(data) ?? [];
  return sizeOf(Number(cols), Number(rows));
}

function sizeOf(cols: unknown, rows: unknown): { cols: number; rows: number } | null {
  const isWithin = (value: unknown, most: number): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most;
  return isWithin(cols, MAX_COLUMNS) && isWithin(rows, MAX_ROWS) ? { cols, rows } : null;
}

function isCode(code: string): code is CastCode {
  return (CAST_CODES as readonly string[]).includes(code);
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CastError(line, "is not JSON");
  }
}

function readHeader(value: unknown, line: number): CastHeader {
  if (!isRecord(value) || value["version"] !== 3) throw new CastError(line, "is not the header of an asciicast v3");
  const { term, timestamp, title } = value;
  const size = isRecord(term) ? sizeOf(term["cols"], term["rows"]) : null;
  if (!isRecord(term) || size === null) throw new CastError(line, "has a size that no terminal has");
  return {
    ...size,
    ...(typeof term["type"] === "string" ? { type: term["type"] } : {}),
    ...(typeof timestamp === "number" && Number.isSafeInteger(timestamp) ? { timestamp } : {}),
    ...(typeof title === "string" ? { title } : {}),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
