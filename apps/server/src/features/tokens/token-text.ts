// How an API token is written: `srt_`, 43 random signs (256 bits), 6 signs of a checksum. Scanners find it by its look.
import { TOKEN_PATTERN } from "@strongroom/contract";
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "srt_";
const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_BYTES = 32;
const RANDOM_SIGNS = 43;
const CHECK_SIGNS = 6;
/** Enough to know one's token by, and 24 bits less to guess of 256. */
const SHOWN_SIGNS = 4;

/** Big-endian, in base 62, filled up with zeros. */
function written(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = `${SIGNS[Number(rest % 62n)]}${text}`;
  return text.padStart(length, "0");
}

const checkOf = (body: string): string => written(BigInt(crc32(body)), CHECK_SIGNS);

/** A new token. It is shown once; only its hash is stored. */
export function newTokenText(random: Buffer = randomBytes(RANDOM_BYTES)): string {
  const body = PREFIX + written(BigInt(`0x${random.toString("hex")}`), RANDOM_SIGNS);
  return body + checkOf(body);
}

/** Whether a bearer is meant to be one of ours; whether it is one is not asked. */
export const isTokenText = (bearer: string): boolean => bearer.startsWith(PREFIX);

/** What is stored and looked up; null for what is mistyped, cut off or made up, which no database need be asked about. */
export function hashOfToken(text: string): Buffer | null {
  if (!TOKEN_PATTERN.test(text)) return null;
  const body = text.slice(0, -CHECK_SIGNS);
  return checkOf(body) === text.slice(-CHECK_SIGNS) ? createHash("sha256").update(text).digest() : null;
}

/** How it begins. */
export const beginningOf = (text: string): string => text.slice(0, PREFIX.length + SHOWN_SIGNS);
