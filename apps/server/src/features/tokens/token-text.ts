// The text format of API tokens: `srt_`, 43 random characters (256 bits) and a checksum of 6 characters. Secret scanners
// recognise it.
import { TOKEN_PATTERN } from "@strongroom/contract";
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "srt_";
const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_BYTES = 32;
const RANDOM_SIGNS = 43;
const CHECK_SIGNS = 6;
/** Long enough to recognise a token by; leaves 232 of 256 bits secret. */
const SHOWN_SIGNS = 4;

/** Big-endian, in base 62, padded with zeros. */
function written(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = `${SIGNS[Number(rest % 62n)]}${text}`;
  return text.padStart(length, "0");
}

const checkOf = (body: string): string => written(BigInt(crc32(body)), CHECK_SIGNS);

/** Returns a new token. It is shown once; only its hash is stored. */
export function newTokenText(random: Buffer = randomBytes(RANDOM_BYTES)): string {
  const body = PREFIX + written(BigInt(`0x${random.toString("hex")}`), RANDOM_SIGNS);
  return body + checkOf(body);
}

/** Whether a bearer credential looks like one of our tokens; does not check that it is valid. */
export const isTokenText = (bearer: string): boolean => bearer.startsWith(PREFIX);

/** The hash that is stored and looked up; null for a malformed token, which needs no database query. */
export function hashOfToken(text: string): Buffer | null {
  if (!TOKEN_PATTERN.test(text)) return null;
  const body = text.slice(0, -CHECK_SIGNS);
  return checkOf(body) === text.slice(-CHECK_SIGNS) ? createHash("sha256").update(text).digest() : null;
}

/** The beginning of a token, which may be shown. */
export const beginningOf = (text: string): string => text.slice(0, PREFIX.length + SHOWN_SIGNS);
