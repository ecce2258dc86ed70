// Finds named values in a line: `KEY=value`, `key: value`, `"key": "value"`, `<key>value</key>`, `key value` and others.
import type { Candidate } from "./candidate.ts";
import type { Format } from "./format.ts";

/** Parts of names that may announce a secret; `judgeKey` decides on the whole name. */
export const KEY_PARTS =
  /pass|pwd|secret|token|psk|kennwort|contrase|senha|clave|authtok|api_?-?key|[_.-]key|key\b|[a-z]Key|_KEY|cred|auth|salt|bindpw|rootpw|\bpw\b|[_.-]pw\b|\bpsw|\bpin\b|community|dsn|\bmdp\b|haslo|jwt|connectionstring/gi;

const LONGEST_NAME = 100;
const LONGEST_VALUE = 8192;

/** The named values of `line`, which starts at index `base` of the text. */
export function readAssignments(line: string, base: number, format: Format): Candidate[] {
  const found: Candidate[] = [];
  KEY_PARTS.lastIndex = 0;
  let next = 0;
  for (let hit = KEY_PARTS.exec(line); hit !== null; hit = KEY_PARTS.exec(line)) {
    if (hit.index < next) continue;
    const from = startOfName(line, hit.index);
    const to = endOfName(line, hit.index + hit[0].length);
    next = to;
    KEY_PARTS.lastIndex = to;
    const value = valueAfter(line, from, to, format);
    if (value === null) continue;
    const { start, end, isQuoted, syntax } = value;
    const keyName = line.slice(from, to);
    found.push({
      detector: "assignment",
      keyName,
      raw: line.slice(start, end),
      start: base + start,
      end: base + end,
      isQuoted,
      syntax,
    });
    if (isQuoted && end > next) KEY_PARTS.lastIndex = next = end;
  }
  return found;
}

const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  code >= 128;

function startOfName(line: string, at: number): number {
  let from = at;
  while (from > 0 && at - from < LONGEST_NAME && isNameCharacter(line.charCodeAt(from - 1))) from -= 1;
  // Dashes of an option are not part of its name.
  while (from < at && /[-.]/.test(line[from]!)) from += 1;
  return from;
}

function endOfName(line: string, at: number): number {
  let to = at;
  while (to < line.length && to - at < LONGEST_NAME && isNameCharacter(line.charCodeAt(to))) to += 1;
  return to;
}

interface Span {
  start: number;
  end: number;
  isQuoted: boolean;
  syntax: number;
}

const SEPARATOR = /(["'\]})]{0,3})[ \t]*(=>|:=|\?=|\+=|=(?!=|~)|:(?!:|\/\/))[ \t]*/y;

function valueAfter(line: string, from: number, to: number, format: Format): Span | null {
  SEPARATOR.lastIndex = to;
  const separator = SEPARATOR.exec(line);
  if (separator === null || /[!<>=]/.test(line[to] === "=" ? "" : "")) return null;
  return valueAt(line, SEPARATOR.lastIndex, from, format);
}

function valueAt(line: string, at: number, from: number, format: Format): Span | null {
  const quote = line[at];
  if (quote === '"' || quote === "'" || quote === "`") {
    const end = endOfQuoted(line, at + 1, quote);
    return end === -1 ? null : { start: at + 1, end, isQuoted: true, syntax: 1 };
  }
  if (format === "code" || format === "json" || format === "text") return null;
  const end = endOfBare(line, at, from, format);
  return end <= at ? null : { start: at, end, isQuoted: false, syntax: 0.95 };
}

function endOfQuoted(line: string, at: number, quote: string): number {
  for (let index = at; index < line.length && index - at < LONGEST_VALUE; index += 1) {
    const character = line[index];
    if (character === "\\") index += 1;
    else if (character === quote) return index;
  }
  return -1;
}

function endOfBare(line: string, at: number, from: number, format: Format): number {
  const limit = Math.min(line.length, at + LONGEST_VALUE);
  const stops = format === "shell" || line[from - 1] === ";" ? /[\s;&|)]/ : / [#;]|[\r\n]/;
  const stop = line.slice(at, limit).search(stops);
  const end = stop === -1 ? limit : at + stop;
  return at + line.slice(at, end).trimEnd().length;
}
