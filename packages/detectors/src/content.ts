// The text of a file with exact positions, whatever the file's encoding.
import { isAscii, isUtf8 } from "node:buffer";

export interface Position {
  line: number;
  column: number;
}

/**
 * Text to scan. Bytes are decoded as UTF-8 or UTF-16, and as Latin-1 if they are neither; `textAt` decodes UTF-8 in a file that
 * mixes it with others. Content with NUL bytes is binary: its `text` is empty.
 */
export class Content {
  readonly text: string;
  readonly isBinary: boolean;
  /** The bytes of `text` if it is Latin-1. */
  readonly bytes: Uint8Array | null;
  readonly #toOffset: (index: number) => number;
  readonly #isLatin1: boolean;
  readonly #utf8: Buffer | null;
  #lineStarts: number[] | null = null;

  constructor(content: string | Uint8Array) {
    const decoded = typeof content === "string" ? asIs(content) : decode(content);
    this.text = decoded.text;
    this.isBinary = decoded.isBinary;
    this.bytes = decoded.bytes;
    this.#toOffset = decoded.toOffset;
    this.#isLatin1 = decoded.isLatin1;
    this.#utf8 = decoded.utf8 ?? null;
  }

  /** Finds spans in the bytes as Latin-1, in ascending order, and returns them as spans of `text`. */
  spansInBytes<S extends { start: number; end: number }>(find: (latin1: string) => readonly S[]): S[] {
    const utf8 = this.#utf8;
    if (utf8 === null) return [...find(this.text)];
    let [offset, index] = [0, 0];
    const indexOf = (wanted: number) => {
      index += utf8.toString("utf8", offset, wanted).length;
      offset = wanted;
      return index;
    };
    return find(utf8.toString("latin1")).map((span) => ({
      ...span,
      start: indexOf(span.start),
      end: indexOf(span.end),
    }));
  }

  /** The piece from `start` to `end`, as characters. */
  textAt(start: number, end: number): string {
    return this.decode(this.text.slice(start, end));
  }

  /** A piece of `text` as characters. */
  decode(piece: string): string {
    // oxlint-disable-next-line no-control-regex -- the range of ASCII
    if (!this.#isLatin1 || /^[\x00-\x7f]*$/.test(piece)) return piece;
    const bytes = Buffer.from(piece, "latin1");
    const text = bytes.toString("utf8");
    return text.includes("\ufffd") ? piece : text;
  }

  /** The position in the content as it was given. */
  offsetOf(index: number): number {
    return this.#toOffset(index);
  }

  positionOf(index: number): Position {
    const starts = (this.#lineStarts ??= lineStartsOf(this.text));
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= index) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: index - starts[low]! + 1 };
  }
}

interface Decoded {
  text: string;
  isBinary: boolean;
  isLatin1: boolean;
  bytes: Uint8Array | null;
  /** The bytes of `text` if it is UTF-8 with other characters than ASCII. */
  utf8?: Buffer;
  toOffset: (index: number) => number;
}

const asIs = (text: string): Decoded => ({
  text,
  isBinary: false,
  isLatin1: false,
  bytes: null,
  toOffset: (index) => index,
});

/** Bytes that are looked at to tell text from binary. */
const SAMPLE = 8192;

function decode(content: Uint8Array): Decoded {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return utf16(bytes, 2);
  if (first === 0xfe && second === 0xff) return utf16(swapped(bytes), 2);
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.includes(0)) {
    const odd = isUtf16(sample);
    return odd
      ? utf16(bytes, 0)
      : { text: "", isBinary: true, isLatin1: true, bytes: null, toOffset: (index) => index };
  }
  const skip = first === 0xef && second === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const rest = bytes.subarray(skip);
  if (!isAscii(rest) && isUtf8(withoutCutCharacter(rest))) return decodeUtf8(rest, skip);
  const text = rest.toString("latin1");
  return { text, isBinary: false, isLatin1: true, bytes: rest, toOffset: (index) => index + skip };
}

/** A file that was read only in part may end within a character. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  let last = bytes.length - 1;
  while (last > 0 && bytes.length - last < 4 && (bytes[last]! & 0xc0) === 0x80) last -= 1;
  const lead = bytes[last]!;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - last < size ? bytes.subarray(0, last) : bytes;
}

function decodeUtf8(utf8: Buffer, skip: number): Decoded {
  const text = utf8.toString("utf8");
  // The place that was asked for last: findings ask in ascending order.
  let [from, offset] = [0, skip];
  const toOffset = (index: number) => {
    if (index < from) [from, offset] = [0, skip];
    offset += Buffer.byteLength(text.slice(from, index));
    from = index;
    return offset;
  };
  return { text, isBinary: false, isLatin1: false, bytes: null, utf8, toOffset };
}

function utf16(bytes: Buffer, skip: number): Decoded {
  const text = bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 2)).toString("utf16le");
  return { text, isBinary: false, isLatin1: false, bytes: null, toOffset: (index) => index * 2 + skip };
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}

/** Little-endian text without a mark: nearly every second byte is zero. */
function isUtf16(sample: Buffer): boolean {
  if (sample.length < 8) return false;
  let [even, odd] = [0, 0];
  for (let index = 0; index < sample.length; index += 1) {
    if (sample[index] !== 0) continue;
    if (index % 2 === 1) odd += 1;
    else even += 1;
  }
  return even === 0 && odd > sample.length * 0.4;
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
