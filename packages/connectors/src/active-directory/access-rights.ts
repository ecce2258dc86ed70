// Reads from an access list whether a user can reset a password ([MS-DTYP] §2.4.6 and [MS-ADTS] §5.1.3.3.4).
import { sidText } from "./security-id.ts";

/** User-Force-Change-Password, in the byte order of an access entry. */
const RESET_PASSWORD = Buffer.from("709529006d24d011a76800aa006e0529", "hex");

const ALLOWED = 0x00;
const DENIED = 0x01;
const ALLOWED_OBJECT = 0x05;
const DENIED_OBJECT = 0x06;
const INHERIT_ONLY = 0x08;
const CONTROL_ACCESS = 0x0000_0100;
const GENERIC_ALL = 0x1000_0000;
const HAS_OBJECT_TYPE = 0x01;
const HAS_INHERITED_TYPE = 0x02;

/**
 * True when a user with the identifiers `sids` may reset the password of the account that `descriptor` protects. The
 * first matching entry decides. Throws RangeError when the bytes are not a security descriptor.
 */
export function mayResetPassword(descriptor: Buffer, sids: ReadonlySet<string>): boolean {
  const dacl = descriptor.readUInt32LE(16);
  // Without an access list, every user has every right.
  if (dacl === 0) return true;
  const count = descriptor.readUInt16LE(dacl + 4);
  let at = dacl + 8;
  for (let index = 0; index < count; index += 1) {
    const size = descriptor.readUInt16LE(at + 2);
    const answer = answerOf(descriptor.subarray(at, at + size), sids);
    if (answer !== null) return answer;
    at += size;
  }
  return false;
}

/** Null for an entry about another user or right. */
function answerOf(entry: Buffer, sids: ReadonlySet<string>): boolean | null {
  const type = entry.readUInt8(0);
  const isAboutObject = type === ALLOWED_OBJECT || type === DENIED_OBJECT;
  if (!isAboutObject && type !== ALLOWED && type !== DENIED) return null;
  if ((entry.readUInt8(1) & INHERIT_ONLY) !== 0) return null;
  if ((entry.readUInt32LE(4) & (CONTROL_ACCESS | GENERIC_ALL)) === 0) return null;
  const flags = isAboutObject ? entry.readUInt32LE(8) : 0;
  const hasType = (flags & HAS_OBJECT_TYPE) !== 0;
  if (hasType && !entry.subarray(12, 28).equals(RESET_PASSWORD)) return null;
  const sidAt = (isAboutObject ? 12 : 8) + (hasType ? 16 : 0) + ((flags & HAS_INHERITED_TYPE) !== 0 ? 16 : 0);
  if (!sids.has(sidText(entry.subarray(sidAt)))) return null;
  return type === ALLOWED || type === ALLOWED_OBJECT;
}
