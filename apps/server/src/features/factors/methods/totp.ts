// Authenticator codes: TOTP (RFC 6238) over HOTP (RFC 4226) with the parameters that every app supports: SHA-1, 30 seconds, 6
// digits.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const STEP_MS = 30_000;
/** RFC 4226 §4 recommends 160 bits. */
const KEY_BYTES = 20;
/** RFC 6238 §5.2: the current step and the ones before and after it, to allow for clock differences. */
const DRIFT = [0, -1, 1];

export const newTotpKey = (): Buffer => randomBytes(KEY_BYTES);

/** Returns the HOTP value for `counter` (RFC 4226 §5.3). */
export function hotp(key: Uint8Array, counter: number, digits = 6): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac("sha1", key).update(message).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

export const stepAt = (time: Date): number => Math.floor(time.getTime() / STEP_MS);

/** The latest time step whose code is currently accepted. */
export const latestStep = (now: Date): number => stepAt(now) + Math.max(...DRIFT);

/**
 * The time step of the typed code; null when the code is not accepted now. `used` contains the steps whose codes were already
 * accepted. INVARIANT: neither a used step nor any step before it is accepted again. Used steps in the future come from a clock
 * that was ahead; they block only their own codes.
 */
export function matchingStep(key: Uint8Array, typed: string, now: Date, used: readonly number[]): number | null {
  const given = Buffer.from(typed);
  const latest = latestStep(now);
  const floor = Math.max(-1, ...used.filter((step) => step <= latest));
  for (const drift of DRIFT) {
    const step = stepAt(now) + drift;
    const code = Buffer.from(hotp(key, step));
    const isSame = given.length === code.length && timingSafeEqual(given, code);
    if (isSame && step > floor) return step;
  }
  return null;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 §6 without padding: 5 bytes become 8 characters. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/** The content of the QR code, in the format that authenticator apps read (Key URI Format). */
export function keyUri(key: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${key}&issuer=${encodeURIComponent(issuer)}`;
}
