// The encoding of numbers, texts and pairs in the messages of Oracle's two-task protocol (TTC).

const LONG = 0xfe;
const MOST_SHORT = 252;

export interface Fields {
  byte(): number;
  /** A number prefixed with its size in bytes. */
  number(): number;
  /** Bytes prefixed with their length, in chunks when there are many. */
  bytes(): Buffer;
  pairs(count: number): Map<string, string>;
}

export function fieldsOf(message: Buffer, start: number): Fields {
  let at = start;
  const next = (count: number) => message.subarray(at, (at += count));
  const byte = () => next(1).readUInt8();
  const number = () => {
    const size = byte();
    return size === 0 ? 0 : next(size).readUIntBE(0, size);
  };
  const bytes = () => {
    const length = byte();
    if (length !== LONG) return next(length);
    const chunks: Buffer[] = [];
    for (let size = number(); size > 0; size = number()) chunks.push(next(size));
    return Buffer.concat(chunks);
  };
  const text = () => (number() === 0 ? "" : bytes().toString());
  const pairs = (count: number) => {
    const found = new Map<string, string>();
    for (let index = 0; index < count; index += 1) {
      found.set(text(), text());
      number();
    }
    return found;
  };
  return { byte, number, bytes, pairs };
}

/** The inverse of {@link Fields}: as few bytes as possible. */
export function number(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([bytes.length, ...bytes]);
}

export const numbers = (...values: number[]) => Buffer.concat(values.map(number));

export function bytes(value: Buffer | string): Buffer {
  const content = Buffer.from(value);
  if (content.length <= MOST_SHORT) return Buffer.concat([Buffer.from([content.length]), content]);
  return Buffer.concat([Buffer.from([LONG]), number(content.length), content, number(0)]);
}

/** A text with its length written twice, as for names. */
export const text = (value: string) =>
  value === "" ? number(0) : Buffer.concat([number(Buffer.byteLength(value)), bytes(value)]);

export const pair = (key: string, value: string, flags = 0) => Buffer.concat([text(key), text(value), number(flags)]);
