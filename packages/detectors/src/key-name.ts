// Decides from the name of a setting whether its value can be a secret, and of which kind.
import {
  GLUED_WORDS,
  HEAD_WORDS,
  IDENTIFIER_WORDS,
  NOT_SECRET_WORDS,
  SECRET_ENDINGS,
  SECRET_PAIRS,
  SECRET_WORDS,
  TAIL_WORDS,
  VERBS,
} from "./key-words.ts";
import type { KeyKind, SecretWord } from "./key-words.ts";

export interface KeyVerdict {
  kind: KeyKind;
  /** From 0 to 1. */
  strength: number;
  /** The words of the name, in lower case. */
  words: readonly string[];
  /** The words in one piece. */
  name: string;
}

const CACHE_SIZE = 4096;
const cache = new Map<string, KeyVerdict | null>();

/** The kind of secret that the name suggests, or null. Names longer than 100 characters suggest none. */
export function judgeKey(name: string): KeyVerdict | null {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const verdict = name.length > 100 ? null : judge(wordsOf(name));
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(name, verdict);
  return verdict;
}

/** `DB_PASSWORD_2`, `dbPassword2` and `db.password-2` are all `db password`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/clear[\s_.-]?text/gi, "cleartext")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+|(?<=\p{L})\d+$/u)
    .map((word) => (word.length > 4 ? word.replace(/\d+$/, "") : word))
    .filter((word) => word !== "" && !/^\d+$/.test(word))
    .flatMap((word) => (GLUED.test(word) ? piecesOf(word) : [word]));
}

/** A secret's word with something after it, in one piece. */
const GLUED = /(?:pass|pwd|pswd|secret|token|passwort|kennwort)[a-z]{2,}$/;

/** `passwordsaltmain` is `password salt main`; a word that has other pieces stays whole. */
function piecesOf(word: string): string[] {
  if (SECRET_WORDS.has(word) || NOT_SECRET_WORDS.has(word) || word.length > 40) return [word];
  // The pieces of the rest that starts at each index, or null; from the end, so that each rest is cut once.
  const rests: (string[] | null)[] = Array.from({ length: word.length + 1 }, () => null);
  rests[word.length] = [];
  for (let from = word.length - 2; from >= 0; from -= 1) {
    for (let to = word.length; to >= from + 2; to -= 1) {
      const rest = rests[to];
      const piece = word.slice(from, to);
      if (rest === null || rest === undefined || !isPiece(piece)) continue;
      rests[from] = [piece, ...rest];
      break;
    }
  }
  return rests[0] ?? [word];
}

const isPiece = (piece: string): boolean =>
  GLUED_WORDS.has(piece) ||
  SECRET_WORDS.has(piece) ||
  (piece.length > 2 && (TAIL_WORDS.has(piece) || HEAD_WORDS.has(piece)));

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
    if (/^(?:keys?|tokens?)$/.test(words[at]!) && from === at && IDENTIFIER_WORDS.has(last)) return null;
    // `encryptedKey` has a key that another key protects.
    if (word.kind !== "password" && /^(?:encrypted|wrapped|sealed)$/.test(last)) return null;
    // .NET's `PublicKeyToken` and other names of public keys.
    if (word.kind === "token" && last === "key" && head.at(-2) === "public") return null;
    const wasHashed = head.some((each) => /^(?:hashed|encrypted|crypted|shadow|hash)$/.test(each));
    // `refresh_token_encrypted` and `credentialsEncrypted` hold what another key protects.
    if (isHash && /^(?:encrypted|enc)$/.test(tail.at(-1)!) && (word.kind !== "password" || word.strength < 0.9))
      return null;
    const kind = (isHash || wasHashed) && word.kind === "password" ? "hash" : word.kind;
    if (word.kind !== "password" && VERBS.has(last)) return null;
    // nginx's `proxy_pass` and `fastcgi_pass` name servers.
    if (words[at] === "pass" && /^(?:proxy|fastcgi|uwsgi|scgi|memcached|grpc)$/.test(last) && tail.length === 0)
      return null;
    // A pin for a public key has a digest.
    if (words[at] === "pin" && tail.length > 0) return null;
    const isVerb = head.some((each) => VERBS.has(each));
    const strength = (tail.length === 0 || isHash ? 1 : 0.8) * (isVerb ? 0.6 : 1) * word.strength;
    return { kind, strength, words, name: words.join("") };
  }
  return null;
}

function secretAt(words: readonly string[], at: number): { word: SecretWord; from: number } | null {
  const word = words[at]!;
  // `pre-shared-key` and `preshared_key` are what a person types on both sides.
  if (word === "key" && (words[at - 1] === "preshared" || (words[at - 1] === "shared" && words[at - 2] === "pre")))
    return { word: { kind: "password", strength: 0.95 }, from: at - 1 };
  const pair = at > 0 ? SECRET_PAIRS.get(`${words[at - 1]}.${word}`) : undefined;
  if (pair !== undefined) return { word: pair, from: at - 1 };
  const single = SECRET_WORDS.get(word);
  if (single !== undefined) return { word: single, from: at };
  if (word.length < 4 || NOT_SECRET_WORDS.has(word)) return null;
  const ending = SECRET_ENDINGS.find(([ending]) => word.endsWith(ending) && (word.length > 4 || ending === "pw"));
  return ending === undefined ? null : { word: ending[1], from: at };
}
