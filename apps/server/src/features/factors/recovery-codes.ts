// Recovery codes: ten, shown once, each good for one sign-in when every factor is lost.
import { createHash, randomBytes } from "node:crypto";
import { base32 } from "./totp.ts";

const CODES = 10;
/** 80 random bits: 16 letters and digits. */
const CODE_BYTES = 10;

export interface NewCodes {
  /** As they are shown: `abcd-efgh-ijkl-mnop`. */
  codes: string[];
  hashes: Buffer[];
}

export function newRecoveryCodes(): NewCodes {
  const plain = Array.from({ length: CODES }, () => base32(randomBytes(CODE_BYTES)).toLowerCase());
  return { codes: plain.map((code) => code.replace(/(.{4})(?=.)/g, "$1-")), hashes: plain.map(recoveryHash) };
}

/** Of a code in lower case without dashes. */
export const recoveryHash = (code: string): Buffer => createHash("sha256").update(`recovery:${code}`).digest();
