// The answers of a server in Oracle's two-task protocol.
import { bytes, number, numbers, pair, text } from "./fields.ts";
import type { Release } from "./release.ts";

const [PROTOCOL, DATA_TYPES, ERROR, ROW_HEADER, ROW_DATA, PARAMETER, STATUS, WARNING, DESCRIBE, END] = [
  1, 2, 4, 6, 7, 8, 9, 15, 16, 29,
];
const [CHARSET_UTF8, CHARSET_UTF16] = [873, 2000];
const NO_DATA_FOUND = 1403;
const [VARCHAR, NUMBER] = [1, 2];
const IMPLICIT_CHARSET = 1;
const TEXT_BYTES = 32_767;
const NUMBER_BYTES = 22;

const u8 = (...values: number[]) => Buffer.from(values);

export function protocolAnswer({ fieldVersion }: Release): Buffer {
  const head = Buffer.concat([u8(PROTOCOL, 6, 0), Buffer.from("Linuxx64/Linux-2.0.34-8.1.0\0")]);
  const charset = Buffer.alloc(5);
  charset.writeUInt16LE(CHARSET_UTF8);
  const description = Buffer.alloc(13);
  description.writeUInt16BE(11);
  description.writeUInt16BE(CHARSET_UTF16, 11);
  const compiled = Buffer.alloc(41);
  compiled[7] = fieldVersion;
  // In the second message, the answer to the data types starts with the time zone.
  const running = u8(2, 1, 0, 0, 0, 0, 4);
  return Buffer.concat([head, charset, description, bytes(compiled), bytes(running)]);
}

/** No type is converted; the time zone is UTC. */
export const dataTypesAnswer = () =>
  Buffer.concat([u8(DATA_TYPES), u8(0x80, 0, 0, 0, 60, 60, 60, 0x80, 0, 0, 0), u8(0, 0)]);

/** Parts of an answer, with an end marker in releases that use one. */
export const whole = ({ isFast }: Release, ...parts: Buffer[]) => Buffer.concat(isFast ? [...parts, u8(END)] : parts);

export const status = () => Buffer.concat([u8(STATUS), numbers(0, 0)]);

export function pairs(given: readonly [string, string, number?][]): Buffer {
  const told = given.map(([key, value, flags]) => pair(key, value, flags));
  return Buffer.concat([u8(PARAMETER), number(given.length), ...told]);
}

const wordsOf = (error: number) => `ORA-${String(error).padStart(5, "0")}: no\n`;

export function warning(error: number): Buffer {
  const words = wordsOf(error);
  return Buffer.concat([u8(WARNING), numbers(error, words.length, 0), bytes(words)]);
}

/** The end of every call; 0 means no error. */
export function ended({ isFast }: Release, error: number, cursor = 0): Buffer {
  const numbersOf = numbers(0, 0, 0, error, 0, 0, cursor, 0);
  const [flags, rowId] = [u8(0, 0, 0, 0, 0, 0), Buffer.concat([numbers(0, 0), u8(0), numbers(0, 0)])];
  const rest = Buffer.concat([number(0), u8(0, 0), numbers(0, 0, 0), numbers(0, 0, 0), numbers(error, 0)]);
  const words = error === 0 ? [] : [bytes(wordsOf(error))];
  return Buffer.concat([u8(ERROR), numbersOf, flags, rowId, rest, ...(isFast ? [numbers(0, 0)] : []), ...words]);
}

/** A statement without rows was executed. */
export const done = (release: Release) => Buffer.concat([u8(PARAMETER), numbers(0, 0, 0, 0), ended(release, 0)]);

interface Column {
  name: string;
  type: number;
  charsetForm: number;
  size: number;
}

const described = (release: Release, { name, type, charsetForm, size }: Column, position: number): Buffer =>
  Buffer.concat([
    u8(type, 0, 0, 0),
    numbers(size, 0, 0, 0, 0, 0),
    u8(charsetForm),
    numbers(size, 0),
    u8(1, name.length),
    text(name),
    numbers(0, 0, position, 0),
    // Domain, annotations and dimensions.
    ...(release.isFast ? [numbers(0, 0, 0, 0), u8(0, 0)] : []),
  ]);

/** `rows` contain the encoded values of the columns. */
function table(release: Release, columns: readonly Column[], rows: readonly (readonly Buffer[])[]): Buffer {
  const size = columns.reduce((sum, column) => sum + column.size, 0);
  const description = Buffer.concat([
    u8(DESCRIBE, 0),
    numbers(size, columns.length),
    u8(0),
    ...columns.map((column, index) => described(release, column, index + 1)),
    numbers(0, 0, 0, 0, 0, 0),
  ]);
  const sent = rows.flatMap((row) => [
    Buffer.concat([u8(ROW_HEADER, 0), numbers(0, 0, 1, 0, 0, 0)]),
    Buffer.concat([u8(ROW_DATA), ...row]),
  ]);
  return Buffer.concat([description, ...sent, ended(release, NO_DATA_FOUND, 1)]);
}

/** One row with one column, a whole number below 100. */
export function count(release: Release, name: string, value: number): Buffer {
  // Base 100 after an exponent; zero has no digits.
  const encoded = bytes(value === 0 ? u8(0x80) : u8(0xc1, value + 1));
  return table(release, [{ name, type: NUMBER, charsetForm: 0, size: NUMBER_BYTES }], [[encoded]]);
}

/** Rows of texts; null is SQL's. */
export function texts(
  release: Release,
  names: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): Buffer {
  const columns = names.map((name) => ({ name, type: VARCHAR, charsetForm: IMPLICIT_CHARSET, size: TEXT_BYTES }));
  return table(
    release,
    columns,
    rows.map((row) => row.map((value) => (value === null ? u8(0) : bytes(value)))),
  );
}
