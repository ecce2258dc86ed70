// Picks the lines worth parsing: one pass over the text looks up every four characters in a table.

/** Cheap tests for lines worth parsing; the readers decide. */
export const KEYS = 1;
export const COMMANDS = 2;
export const PHRASES = 4;
export const TOKENS = 8;
export const SQL = 16;
export const CONFIG_PHRASES = 32;

/** Lines beyond this length are read in pieces around their triggers. */
const LONGEST_LINE = 4096;
/** Characters before the trigger that belong to its piece. */
const BEFORE = 256;

export interface Piece {
  from: number;
  to: number;
  kinds: number;
}

/** Five bits of each of four characters: letters fold case; other characters share buckets, which costs only time. */
const table = new Uint8Array(1 << 20);
/** Which last three characters occur in `table`: small enough for the fastest cache. */
const endings = new Uint8Array(1 << 15);
const bits = (code: number): number => code & 31;

function mark(index: number, kind: number): void {
  table[index]! |= kind;
  endings[index & 0x7fff] = 1;
}

function enter(word: string, kind: number): void {
  const four = Array.from(word.slice(0, 4), (character) => bits(character.charCodeAt(0)));
  const index = four.reduce((sum, each) => (sum << 5) | each, 0);
  if (four.length === 4) mark(index, kind);
  else for (let last = 0; last < 32; last += 1) mark((index << 5) | last, kind);
}

for (const word of "pass pwd secr oken toke psk key cred auth salt kenn cont sena senh clav psw muni hasl jwt encr pepp hmac wach hesl lozi paro seno adga kode sala jels ifre ndpw otpw erpw _pin mdp".split(
  " ",
))
  enter(word, KEYS);
for (const before of "_-. \"'\n")
  for (const after of "=: \"'\t]")
    for (const word of ["pw", "pi"]) enter(`${before}${word}${word === "pi" ? "n" : after}`, KEYS);

for (const word of ["парол", "hasł", "şifr", "schl"]) enter(word, KEYS);

// `DatabasePw`.
for (const before of "abcdefghijklmnopqrstuvwxyz") for (const after of '=: "') enter(`${before}pw${after}`, KEYS);

/** Registers the first characters of words that a reader needs; words have at least three. */
export function trigger(words: Iterable<string>, kind: number): void {
  for (const word of words) enter(word, kind);
}

/** Spans of lines with a trigger. `bytes` are the same text, if it is Latin-1. The work is linear, whatever the lines are. */
export function piecesOf(text: string, bytes: Uint8Array | null): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece | null = null;
  const hit = (index: number, kinds: number): void => {
    const at = Math.max(0, index - 3);
    if (piece !== null && at < piece.to) piece.kinds |= kinds;
    else pieces.push((piece = pieceAt(text, at, piece, kinds)));
  };
  if (bytes === null) searchText(text, hit);
  else searchBytes(bytes, hit);
  return pieces;
}

function searchBytes(bytes: Uint8Array, hit: (index: number, kinds: number) => void): void {
  const { length } = bytes;
  let gram = 0;
  for (let index = 0; index < length; index += 1) {
    gram = ((gram << 5) | (bytes[index]! & 31)) & 0xfffff;
    if (endings[gram & 0x7fff] === 0) continue;
    const kinds = table[gram]!;
    if (kinds !== 0) hit(index, kinds);
  }
  const kinds = table[(gram << 5) & 0xfffff]!;
  if (kinds !== 0) hit(length, kinds);
}

function searchText(text: string, hit: (index: number, kinds: number) => void): void {
  const { length } = text;
  let gram = 0;
  for (let index = 0; index <= length; index += 1) {
    gram = ((gram << 5) | (index === length ? 0 : text.charCodeAt(index) & 31)) & 0xfffff;
    const kinds = table[gram]!;
    if (kinds !== 0) hit(index, kinds);
  }
}

function pieceAt(text: string, at: number, before: Piece | null, kinds: number): Piece {
  const free = before?.to ?? 0;
  // A line break within the four characters belongs to the line before.
  const newline = text.slice(at, at + 4).lastIndexOf("\n");
  const start = newline === -1 ? at : at + newline + 1;
  const limit = Math.max(free, start - LONGEST_LINE);
  const before1 = text.slice(limit, start).lastIndexOf("\n");
  const lineStart = before1 === -1 ? limit : limit + before1 + 1;
  const ahead = text.slice(start, start + LONGEST_LINE).indexOf("\n");
  const lineEnd = ahead === -1 ? Math.min(text.length, start + LONGEST_LINE) : start + ahead;
  const isLong = lineEnd - lineStart > LONGEST_LINE || (before1 === -1 && limit > 0 && text[limit - 1] !== "\n");
  const from = isLong ? Math.max(limit, start - BEFORE) : lineStart;
  const to = isLong ? Math.min(lineEnd, from + LONGEST_LINE) : lineEnd;
  return { from, to: Math.max(to, start), kinds };
}
