// Recovery codes: a user gets ten, which are shown once; each replaces a lost factor for one sign-in.
import { createHash, randomBytes } from "node:crypto";
import { base32 } from "./totp.ts";

const CODES = 10;
/** 80 random bits: 16 letters and digits. */
const CODE_BYTES = 10;

export interface NewCodes {
  /** In the displayed form: `abcd-efgh-ijkl-mnop`. */
  codes: string[];
  hashes: Buffer[];
}

export function newRecoveryCodes(): NewCodes {
  const plain = Array.from({ length: CODES }, () => base32(randomBytes(CODE_BYTES)).toLowerCase());
  return { codes: plain.map((code) => code.replace(/(.{4})(?=.)/g, "$1-")), hashes: plain.map(recoveryHash) };
}

/** Hashes a code after lower-casing it and removing dashes. */
export const recoveryHash = (code: string): Buffer => createHash("sha256").update(`recovery:${code}`).digest();
