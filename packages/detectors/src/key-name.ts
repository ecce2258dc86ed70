// Decides from the name of a setting whether its value can be a secret, and of which kind.
import {
  HEAD_WORDS,
  IDENTIFIER_WORDS,
  NOT_SECRET_WORDS,
  SECRET_ENDINGS,
  SECRET_PAIRS,
  SECRET_WORDS,
  TAIL_WORDS,
} from "./key-words.ts";
import type { KeyKind, SecretWord } from "./key-words.ts";

export interface KeyVerdict {
  kind: KeyKind;
  /** From 0 to 1. */
  strength: number;
  /** The words of the name, in lower case. */
  words: readonly string[];
}

const CACHE_SIZE = 4096;
const cache = new Map<string, KeyVerdict | null>();

/** The kind of secret that the name suggests, or null. Names longer than 100 characters are none. */
export function judgeKey(name: string): KeyVerdict | null {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const verdict = name.length > 100 ? null : judge(wordsOf(name));
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(name, verdict);
  return verdict;
}

/** `DB_PASSWORD_2`, `dbPassword2` and `db.password-2` are all `db password`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+|(?<=\p{L})\d+$/u)
    .map((word) => (word.length > 4 ? word.replace(/\d+$/, "") : word))
    .filter((word) => word !== "" && !/^\d+$/.test(word));
}

function judge(words: string[]): KeyVerdict | null {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const found = secretAt(words, at);
    if (found === null) continue;
    const { word, from } = found;
    const tail = words.slice(at + 1);
    if (tail.some((each) => TAIL_WORDS.has(each))) return null;
    const isHash = tail.some((each) => /^(?:hash|hashes|hashed|crypt|crypted|sha|md|bcrypt|encrypted|enc)$/.test(each));
    const head = words.slice(0, from);
    if (head.some((each) => HEAD_WORDS.has(each))) return null;
    const last = head.at(-1) ?? "";
    if (word.kind !== "password" && from === at && IDENTIFIER_WORDS.has(last)) return null;
    // .NET's `PublicKeyToken` and other names of public keys.
    if (word.kind === "token" && last === "key" && head.at(-2) === "public") return null;
    const wasHashed = head.some((each) => /^(?:hashed|encrypted|crypted|shadow|hash)$/.test(each));
    const kind = (isHash || wasHashed) && word.kind === "password" ? "hash" : word.kind;
    const strength = tail.length === 0 || isHash ? word.strength : word.strength * 0.8;
    return { kind, strength, words };
  }
  return null;
}

function secretAt(words: readonly string[], at: number): { word: SecretWord; from: number } | null {
  const word = words[at]!;
  const pair = at > 0 ? SECRET_PAIRS.get(`${words[at - 1]}.${word}`) : undefined;
  if (pair !== undefined) return { word: pair, from: at - 1 };
  const single = SECRET_WORDS.get(word);
  if (single !== undefined) return { word: single, from: at };
  if (word.length < 5 || NOT_SECRET_WORDS.has(word)) return null;
  const ending = SECRET_ENDINGS.find(([ending]) => word.endsWith(ending));
  return ending === undefined ? null : { word: ending[1], from: at };
}
