// The labelled corpus of the detectors: templates of real-world files in bench/scan-corpus, filled with generated values.
import { createHash, generateKeyPairSync } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

const FOLDER = join(import.meta.dirname, "../scan-corpus");

/**
 * The splits of the files. The files of `applications-1` and `hosts-1` were split by the path alone, before any tuning. Those of
 * `hosts-2` were written after it, those of `hosts-3` (usual files of a host) after everything else. Those of `rarer-1` and
 * `rarer-2` have other, rarer applications in each, and were split before the detectors saw any of them. `rarer-3` was written
 * after the errors in `rarer-2` were read. `unseen-1` was written and committed before the detectors ran on it, `unseen-2`
 * likewise after the errors in `unseen-1` were fixed. `rarer-4`, `rarer-5` and `rarer-6` were written to develop the rules that
 * followed. Another author wrote and committed `unseen-3` and `unseen-4` before the detectors ran on them. `unseen-4` was first
 * measured after the errors in `unseen-3` were fixed; then its errors were read and fixed too. Further authors
 * wrote `hosts-4` to `hosts-22`, usual files with values of their own. Each was first measured after the errors in those before it
 * were fixed, except that several were measured together.
 */
const SPLITS = {
  "hosts-2.txt": "fresh",
  "hosts-3.txt": "common fresh",
  "hosts-4.txt": "common fresh 2",
  "hosts-5.txt": "common fresh 3",
  "hosts-6.txt": "common fresh 4",
  "hosts-7.txt": "common fresh 5",
  "hosts-8.txt": "common fresh 6",
  "hosts-9.txt": "common fresh 7",
  "hosts-10.txt": "common fresh 8",
  "hosts-11.txt": "common fresh 9",
  "hosts-12.txt": "common fresh 10",
  "hosts-13.txt": "common fresh 11",
  "hosts-14.txt": "common fresh 12",
  "hosts-15.txt": "common fresh 13",
  "hosts-16.txt": "common fresh 14",
  "hosts-17.txt": "common fresh 15",
  "hosts-18.txt": "common fresh 16",
  "hosts-19.txt": "common fresh 17",
  "hosts-20.txt": "common fresh 18",
  "hosts-21.txt": "common fresh 19",
  "hosts-22.txt": "common fresh 20",
  "rarer-1.txt": "rarer development",
  "rarer-2.txt": "rarer held-out",
  "rarer-3.txt": "rarer fresh",
  "rarer-4.txt": "rarer development 2",
  "rarer-5.txt": "in-house development",
  "rarer-6.txt": "rarer development 3",
  "unseen-1.txt": "unseen 1",
  "unseen-2.txt": "unseen 2",
  "unseen-3.txt": "unseen 3",
  "unseen-4.txt": "unseen 4",
} as const;
type Split = "development" | "held-out" | (typeof SPLITS)[keyof typeof SPLITS];
export const SPLIT_NAMES: readonly Split[] = ["development", "held-out", ...Object.values(SPLITS)];

export interface LabelledFile {
  path: string;
  text: string;
  labels: { start: number; end: number; class: string; value: string }[];
  split: Split;
}

const VARIANTS = 3;
const MARKER = /«(\w+)»/g;
/** A value that its author chose: `⟦password|Winter2024!⟧`. */
const FIXED = /⟦(password|token|hash|private_key)\|([^⟧]*)⟧/g;

/**
 * Every template in three variants, with other values and other kinds of passwords each, and every file with fixed values once.
 * The same on every run.
 */
export function corpus(): LabelledFile[] {
  const files: LabelledFile[] = [];
  for (const name of readdirSync(FOLDER).filter((each) => each.endsWith(".txt"))) {
    const all = readFileSync(join(FOLDER, name), "utf8");
    const split = (SPLITS as Partial<Record<string, Split>>)[name];
    const templates = all.split(/^=== /m).slice(1);
    for (const template of templates) {
      const [path = "", ...lines] = template.split("\n");
      const text = lines.join("\n");
      if (split !== undefined && all.includes("⟦")) files.push(withFixedValues(path.trim(), text, split));
      else
        for (let variant = 0; variant < VARIANTS; variant += 1)
          files.push(fill(path.trim(), text, variant, split ?? null));
    }
  }
  return files;
}

function withFixedValues(path: string, template: string, split: Split): LabelledFile {
  const labels: LabelledFile["labels"] = [];
  let text = "";
  let before = 0;
  for (const match of template.matchAll(FIXED)) {
    const [whole, kind = "", value = ""] = match;
    text += template.slice(before, match.index);
    before = match.index + whole.length;
    const end = text.length + value.length;
    labels.push({ start: text.length, end, class: kind === "hash" ? "password_hash" : kind, value });
    text += value;
  }
  return { path, text: text + template.slice(before), labels, split };
}

function fill(path: string, template: string, variant: number, given: Split | null): LabelledFile {
  const random = generator(`${path} ${variant}`);
  const labels: LabelledFile["labels"] = [];
  let text = "";
  let before = 0;
  for (const match of template.matchAll(MARKER)) {
    text += template.slice(before, match.index);
    before = match.index + match[0].length;
    const made = VALUES[match[1]!];
    if (made === undefined) throw new Error(`Unknown marker ${match[0]} in ${path}`);
    const value = made.make(random);
    if (made.class !== null)
      labels.push({ start: text.length, end: text.length + value.length, class: made.class, value });
    text += value;
  }
  text += template.slice(before);
  const isDevelopment = createHash("sha256").update(path).digest()[0]! % 5 < 3;
  return { path, text, labels, split: given ?? (isDevelopment ? "development" : "held-out") };
}

type Random = (below: number) => number;

/** A stream of numbers from a seed (SHA-256 in counter mode). */
function generator(seed: string): Random {
  let counter = 0;
  let bytes = Buffer.alloc(0);
  let at = 0;
  return (below) => {
    if (at + 4 > bytes.length) {
      bytes = createHash("sha256").update(`${seed} ${counter}`).digest();
      counter += 1;
      at = 0;
    }
    at += 4;
    return bytes.readUInt32BE(at - 4) % below;
  };
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const ALNUM = `${LOWER}${LOWER.toUpperCase()}${DIGITS}`;
const BASE64 = `${ALNUM}+/`;

const of = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random(alphabet.length)]).join("");
const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)]!;

const WORDS =
  "river copper falcon winter orange tunnel basket rocket silver meadow hammer pepper castle dragonfly velvet anchor bishop cobalt dakota ember".split(
    " ",
  );
const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

/** Passwords as people and generators make them. `symbols` are those that the syntax allows. */
function password(random: Random, symbols: string): string {
  const style = random(8);
  const symbol = () => of(random, symbols, 1);
  if (style === 0) return of(random, ALNUM, 10 + random(8));
  if (style === 1) return `${capital(pick(random, WORDS))}${1950 + random(80)}${symbol()}`;
  if (style === 2) return `${pick(random, WORDS)}-${pick(random, WORDS)}-${pick(random, WORDS)}-${10 + random(90)}`;
  if (style === 3)
    return `${of(random, ALNUM, 5)}${symbol()}${of(random, ALNUM, 4)}${symbol()}${of(random, DIGITS, 2)}`;
  if (style === 4) return `${pick(random, WORDS).replace("e", "3").replace("a", "4")}${of(random, DIGITS, 3)}`;
  if (style === 5) return of(random, `${LOWER}${DIGITS}`, 8) + of(random, DIGITS, 1);
  if (style === 6)
    return `${capital(pick(random, WORDS))}${capital(pick(random, WORDS))}${of(random, DIGITS, 2)}${symbol()}`;
  return `${pick(random, WORDS)}${pick(random, WORDS)}`;
}

const base64 = (random: Random, bytes: number): string =>
  Buffer.from(Array.from({ length: bytes }, () => random(256))).toString("base64");
const unpadded = (encoded: string): string => encoded.replaceAll("=", "");
const base64url = (random: Random, bytes: number): string =>
  unpadded(base64(random, bytes)).replaceAll("+", "-").replaceAll("/", "_");
const hex = (random: Random, length: number): string => of(random, "0123456789abcdef", length);

function withCrc(prefix: string, body: string): string {
  const alphabet = `${DIGITS}${LOWER.toUpperCase()}${LOWER}`;
  let [sum, text] = [crc32(body), ""];
  for (; sum > 0; sum = Math.floor(sum / 62)) text = alphabet[sum % 62]! + text;
  return prefix + body + text.padStart(6, "0");
}

/** A service account token of Grafana: its checksum covers the prefix. */
function grafanaToken(random: Random): string {
  const key = `glsa_${of(random, ALNUM, 32)}`;
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(key));
  return `${key}_${sum.toString("hex")}`;
}

const token = (length: number) => ({ class: "token", make: (random: Random) => of(random, ALNUM, length) });
const passwords = (symbols: string) => ({ class: "password", make: (random: Random) => password(random, symbols) });
const hash = (make: (random: Random) => string) => ({ class: "password_hash", make });
const hexToken = (length: number) => ({ class: "token", make: (random: Random) => hex(random, length) });
const CRYPT = `${ALNUM}./`;

/** Keys are slow to make: one serves all files. */
let madeKey = "";
function privateKey(): string {
  if (madeKey === "") {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    madeKey = String(privateKey.export({ format: "pem", type: "pkcs8" })).trimEnd();
  }
  return madeKey;
}

/** The markers of the templates. Classes of labels are coarse: tools differ in how they name a finding. */
const VALUES: Record<string, { class: string | null; make: (random: Random) => string }> = {
  p: passwords("!@%^*_-+.~$&(?"),
  ps: passwords("_-+.~@%^"),
  pj: passwords("!@%^*_-+.~$&(?:"),
  pp: passwords("_-.!"),
  px: passwords("!@%^*_-+.~$(?"),
  psu: passwords("_-.~!"),
  up12: {
    class: "password",
    make: (random) => `${of(random, LOWER, 5)}${of(random, DIGITS, 2)}${of(random, LOWER, 4)}`,
  },
  up20: { class: "token", make: (random) => of(random, LOWER.toUpperCase(), 20) },
  t16: token(16),
  t20: token(20),
  t24: token(24),
  t30: token(30),
  t32: token(32),
  t40: token(40),
  t43: token(43),
  t48: token(48),
  t14: token(14),
  t64: token(64),
  hex64: hexToken(64),
  hex48n: hexToken(48),
  hex20: hexToken(20),
  hex32: hexToken(32),
  hex40: hexToken(40),
  hex128: hexToken(128),
  hex16u: { class: "password", make: (random) => hex(random, 16).toUpperCase() },
  hex64u: { class: "token", make: (random) => hex(random, 64).toUpperCase() },
  hex128u: { class: "token", make: (random) => hex(random, 128).toUpperCase() },
  hex32h: { class: "password_hash", make: (random) => hex(random, 32) },
  hex40n: { class: null, make: (random) => hex(random, 40) },
  b64: { class: "token", make: (random) => base64(random, 32) },
  b64l: { class: "token", make: (random) => base64(random, 90) },
  b64az: { class: "token", make: (random) => base64(random, 64) },
  b64p: { class: "password", make: (random) => Buffer.from(`${password(random, "!_-.")}x`).toString("base64") },
  b64t: { class: "token", make: (random) => Buffer.from(of(random, ALNUM, 32)).toString("base64") },
  basic: { class: "password", make: (random) => Buffer.from(`svc:${password(random, "!_-.")}`).toString("base64") },
  b32: { class: "token", make: (random) => of(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32) },
  b64url43: { class: "token", make: (random) => base64url(random, 32) },
  urlenc: { class: "password", make: (random) => `${of(random, ALNUM, 6)}%2B${of(random, ALNUM, 5)}%21` },
  apikey5: {
    class: "token",
    make: (random) => Array.from({ length: 5 }, () => hex(random, 6).toUpperCase()).join("-"),
  },
  kubeadm: {
    class: "token",
    make: (random) => `${of(random, `${LOWER}${DIGITS}`, 6)}.${of(random, `${LOWER}${DIGITS}`, 16)}`,
  },
  k3s: { class: "token", make: (random) => `K10${hex(random, 64)}::server:${hex(random, 32)}` },
  uuid: { class: "token", make: (random) => [8, 4, 4, 4, 12].map((length) => hex(random, length)).join("-") },
  salt: { class: "token", make: (random) => of(random, `${ALNUM}!@#%^&*()-_[]{}<>~+=,.;:/?|`, 64) },
  wg: { class: "token", make: (random) => base64(random, 32) },
  // An identifier beside its key.
  aws: { class: null, make: (random) => `AKIA${of(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}` },
  aws40: { class: "token", make: (random) => of(random, BASE64, 40) },
  gh: { class: "token", make: (random) => withCrc("ghp_", of(random, ALNUM, 30)) },
  npm: { class: "token", make: (random) => withCrc("npm_", of(random, ALNUM, 30)) },
  pypi: { class: "token", make: (random) => `pypi-AgEIcHlwaS5vcmc${of(random, `${ALNUM}_-`, 120)}` },
  gitlab: { class: "token", make: (random) => `glpat-${of(random, `${ALNUM}_-`, 20)}` },
  vault: { class: "token", make: (random) => `hvs.${of(random, `${ALNUM}_-`, 90)}` },
  stripe: { class: "token", make: (random) => `sk_live_${of(random, ALNUM, 24)}` },
  whsec: { class: "token", make: (random) => `whsec_${of(random, ALNUM, 32)}` },
  dckr: { class: "token", make: (random) => `dckr_pat_${of(random, `${ALNUM}_-`, 27)}` },
  do: { class: "token", make: (random) => `dop_v1_${hex(random, 64)}` },
  databricks: { class: "token", make: (random) => `dapi${hex(random, 32)}` },
  sonar: { class: "token", make: (random) => `sqp_${hex(random, 40)}` },
  tskey: { class: "token", make: (random) => `tskey-auth-k${of(random, ALNUM, 11)}CNTRL-${of(random, ALNUM, 32)}` },
  azsecret: { class: "token", make: (random) => `${of(random, ALNUM, 3)}8Q~${of(random, `${ALNUM}_-.~`, 34)}` },
  mailgun: { class: "password", make: (random) => `${hex(random, 32)}-${hex(random, 8)}-${hex(random, 8)}` },
  glsa: { class: "token", make: grafanaToken },
  gapi: { class: "token", make: (random) => `AIza${of(random, `${ALNUM}_-`, 35)}` },
  slack: {
    class: "token",
    make: (random) => `xoxb-${of(random, DIGITS, 12)}-${of(random, DIGITS, 12)}-${of(random, ALNUM, 24)}`,
  },
  slackhook: {
    class: "token",
    make: (random) =>
      `hooks.slack.com/services/T${of(random, `${LOWER.toUpperCase()}${DIGITS}`, 8)}/B${of(random, `${LOWER.toUpperCase()}${DIGITS}`, 8)}/${of(random, ALNUM, 24)}`,
  },
  discordhook: {
    class: "token",
    make: (random) => `discord.com/api/webhooks/1${of(random, DIGITS, 17)}/${of(random, `${ALNUM}_-`, 68)}`,
  },
  telegram: { class: "token", make: (random) => `1${of(random, DIGITS, 8)}:AA${of(random, `${ALNUM}_-`, 33)}` },
  sendgrid: { class: "token", make: (random) => `SG.${of(random, `${ALNUM}_-`, 22)}.${of(random, `${ALNUM}_-`, 43)}` },
  jwt: {
    class: "token",
    make: (random) =>
      `${Buffer.from('{"alg":"RS256","typ":"JWT"}').toString("base64url")}.${Buffer.from(`{"sub":"${of(random, LOWER, 8)}","iat":1700000000}`).toString("base64url")}.${of(random, `${ALNUM}_-`, 86)}`,
  },
  hash6: hash((random) => `$6$${of(random, CRYPT, 16)}$${of(random, CRYPT, 86)}`),
  hashy: hash((random) => `$y$j9T$${of(random, CRYPT, 22)}$${of(random, CRYPT, 43)}`),
  apr1: hash((random) => `$apr1$${of(random, CRYPT, 8)}$${of(random, CRYPT, 22)}`),
  md5crypt: hash((random) => `$1$${of(random, CRYPT, 4)}$${of(random, CRYPT, 22)}`),
  bcrypt: hash((random) => `$2y$10$${of(random, CRYPT, 53)}`),
  bcrypt12: hash((random) => `$2y$12$${of(random, CRYPT, 53)}`),
  bcrypthex: hash((random) => Buffer.from(`$2a$10$${of(random, CRYPT, 53)}`).toString("hex")),
  sha256crypt: hash((random) => `$5$${of(random, CRYPT, 16)}$${of(random, CRYPT, 43)}`),
  argon2id: hash(
    (random) => `$argon2id$v=19$m=65536,t=4,p=1$${unpadded(base64(random, 16))}$${unpadded(base64(random, 32))}`,
  ),
  django: hash((random) => `pbkdf2_sha256$600000$${of(random, ALNUM, 22)}$${base64(random, 32)}`),
  scram: hash((random) => `SCRAM-SHA-256$4096:${base64(random, 16)}$${base64(random, 32)}:${base64(random, 32)}`),
  pgmd5: hash((random) => `md5${hex(random, 32)}`),
  mysql41: hash((random) => `*${hex(random, 40).toUpperCase()}`),
  phpass: hash((random) => `$P$B${of(random, CRYPT, 30)}`),
  werkzeug: hash((random) => `scrypt:32768:8:1$${of(random, ALNUM, 16)}$${hex(random, 128)}`),
  aspnet: hash((random) => {
    const header = Buffer.from("01000000010000271000000010", "hex");
    return Buffer.concat([header, Buffer.from(base64(random, 48), "base64")]).toString("base64");
  }),
  grub: hash(
    (random) => `grub.pbkdf2.sha512.10000.${hex(random, 128).toUpperCase()}.${hex(random, 128).toUpperCase()}`,
  ),
  nthash: hash((random) => hex(random, 32).toUpperCase()),
  hex40h: hash((random) => hex(random, 40)),
  hex64h: hash((random) => hex(random, 64)),
  pem: { class: "private_key", make: () => privateKey() },
  pemjson: { class: "private_key", make: () => privateKey().replaceAll("\n", "\\n") },
};
