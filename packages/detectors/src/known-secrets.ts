// Finds secrets of the vault in files: by keyed hashes of their forms, so that an index holds no secret.
import { createHmac } from "node:crypto";
import { isWeak } from "./weak-values.ts";
import { randomnessOf } from "./value.ts";

/** A written form of a secret. `bucket` and `mac` are keyed; keep them as safe as a list of password hashes. */
export interface KnownForm {
  form: "plain" | "base64" | "url";
  /** Bytes of the form. */
  length: number;
  /** Keyed hashes that rule most texts out: 16 bits of the first 8 bytes, and 20 bits of all. */
  head: number;
  bucket: number;
  /** HMAC-SHA-256 of the form, cut to 16 bytes, in base64url. */
  mac: string;
}

export interface KnownMatch {
  start: number;
  end: number;
  form: KnownForm["form"];
  ids: readonly string[];
}

const SHORTEST = 8;
const LONGEST = 256;
const BUCKETS = 1 << 20;
const HEADS = 1 << 16;
const CHUNK = 1 << 16;
/** Three words or more, which together appear nowhere else. */
const PASSPHRASE = /^(?=.{12})\S+(?: \S+){2,}$/;

/**
 * What to store for a secret so that an index under the same `key` (32 bytes) finds it. Empty for values that would match
 * everywhere: shorter than 8 characters, well-known, of one word, of several lines or longer than 256 bytes.
 */
export function knownForms(value: string, key: Uint8Array): KnownForm[] {
  const bytes = Buffer.from(value);
  if (bytes.length < SHORTEST || /[\r\n]/.test(value) || isWeak(value)) return [];
  if (randomnessOf(value) < 0.4 && !PASSPHRASE.test(value)) return [];
  const seed = seedOf(key);
  const plain = bytes.toString("latin1");
  const forms = new Map<string, KnownForm["form"]>([
    [bytes.toString("base64"), "base64"],
    [encodeURIComponent(value.toWellFormed()), "url"],
    [plain, "plain"],
  ]);
  return [...forms]
    .filter(([text]) => text.length <= LONGEST)
    .map(([text, form]) => ({
      form,
      length: text.length,
      head: headOf(hashOf(text.slice(0, SHORTEST), seed)),
      bucket: bucketOf(hashOf(text, seed)),
      mac: macOf(key, text),
    }));
}

/** An index over stored forms. Build it once for many files; it is immutable. */
export class KnownSecretIndex {
  readonly #key: Uint8Array;
  readonly #seed: number;
  readonly #bitmap = new Uint8Array(BUCKETS / 8);
  readonly #heads = new Uint8Array(HEADS);
  readonly #headPower: number;
  readonly #lengths: readonly number[];
  readonly #powers: readonly number[];
  readonly #byMac = new Map<string, { form: KnownForm["form"]; ids: string[] }>();

  constructor(key: Uint8Array, secrets: Iterable<KnownForm & { id: string }>) {
    this.#key = key;
    this.#seed = seedOf(key);
    const lengths = new Set<number>();
    this.#headPower = powerOf(this.#seed, SHORTEST);
    for (const { id, form, length, head, bucket, mac } of secrets) {
      lengths.add(length);
      this.#heads[head] = 1;
      this.#bitmap[bucket >> 3]! |= 1 << (bucket & 7);
      const known = this.#byMac.get(mac);
      if (known === undefined) this.#byMac.set(mac, { form, ids: [id] });
      else if (!known.ids.includes(id)) known.ids.push(id);
    }
    this.#lengths = [...lengths].sort((a, b) => b - a);
    this.#powers = this.#lengths.map((length) => powerOf(this.#seed, length));
  }

  get isEmpty(): boolean {
    return this.#lengths.length === 0;
  }

  /** The places of known secrets in `text`, longest first at each place, without overlaps. `text` is bytes as Latin-1. */
  matches(text: string): KnownMatch[] {
    const longest = this.#lengths[0];
    if (longest === undefined) return [];
    const found: KnownMatch[] = [];
    for (let from = 0; from < text.length; from += CHUNK) {
      this.#chunk(
        text,
        from,
        Math.min(text.length, from + CHUNK + longest),
        Math.min(text.length, from + CHUNK),
        found,
      );
    }
    return found;
  }

  /** Looks at all starts in [from, lastStart) and ends up to `to`. */
  #chunk(text: string, from: number, to: number, lastStart: number, found: KnownMatch[]): void {
    const size = to - from;
    const prefix = new Uint32Array(size + 1);
    const isEdge = new Uint8Array(size + 1);
    for (let index = 0; index < size; index += 1) {
      const code = text.charCodeAt(from + index);
      prefix[index + 1] = Math.imul(prefix[index]!, this.#seed) + code + 1;
      isEdge[index] = code < 256 ? EDGES[code]! : 1;
    }
    isEdge[size] = to === text.length ? 1 : 0;
    let isStart = from === 0 || EDGES[text.charCodeAt(from - 1) & 255] === 1;
    let free = Math.max(0, (found.at(-1)?.end ?? 0) - from);
    for (let start = 0; start < lastStart - from; start += 1) {
      if (start >= free && (isStart || (start > 1 && isAfterOption(text, from + start)))) {
        const end = this.#longestAt(text, from, start, size, prefix, isEdge, found);
        if (end !== -1) free = end;
      }
      isStart = isEdge[start] === 1;
    }
  }

  #longestAt(
    text: string,
    from: number,
    start: number,
    size: number,
    prefix: Uint32Array,
    isEdge: Uint8Array,
    found: KnownMatch[],
  ): number {
    if (start + SHORTEST > size) return -1;
    const head = (prefix[start + SHORTEST]! - Math.imul(prefix[start]!, this.#headPower)) | 0;
    if (this.#heads[headOf(head)] === 0) return -1;
    for (let at = 0; at < this.#lengths.length; at += 1) {
      const end = start + this.#lengths[at]!;
      if (end > size || isEdge[end] === 0) continue;
      const hash = (prefix[end]! - Math.imul(prefix[start]!, this.#powers[at]!)) | 0;
      const bucket = bucketOf(hash);
      if ((this.#bitmap[bucket >> 3]! & (1 << (bucket & 7))) === 0) continue;
      const known = this.#byMac.get(macOf(this.#key, text.slice(from + start, from + end)));
      if (known === undefined) continue;
      found.push({ start: from + start, end: from + end, ...known });
      return end;
    }
    return -1;
  }
}

/** Characters that may stand before or after a secret. Secrets may contain them too. */
const EDGES = new Uint8Array(256);
for (let code = 0; code <= 32; code += 1) EDGES[code] = 1;
for (const character of "\"'`=:;,|&<>()[]{}@/?#\\!*$%^~+") EDGES[character.charCodeAt(0)] = 1;

/** `-pSECRET`: the value follows the letter of a short option. */
function isAfterOption(text: string, at: number): boolean {
  return text.charCodeAt(at - 2) === 45 && /[\s"'=]/.test(text[at - 3] ?? " ") && /[A-Za-z]/.test(text[at - 1]!);
}

const macOf = (key: Uint8Array, text: string): string =>
  createHmac("sha256", key).update(text, "latin1").digest().subarray(0, 16).toString("base64url");

/** An odd multiplier that depends on the key. */
const seedOf = (key: Uint8Array): number =>
  (createHmac("sha256", key).update("strongroom/known-secrets/bucket/v1").digest().readUInt32BE(0) | 5) >>> 0;

function hashOf(text: string, seed: number): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, seed) + text.charCodeAt(index) + 1) | 0;
  return hash;
}

function powerOf(seed: number, exponent: number): number {
  let power = 1;
  for (let step = 0; step < exponent; step += 1) power = Math.imul(power, seed);
  return power;
}

const bucketOf = (hash: number): number => mix(hash) & (BUCKETS - 1);
const headOf = (hash: number): number => mix(hash) & (HEADS - 1);

/** All bits of the polynomial hash count (the finalizer of MurmurHash3). */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
