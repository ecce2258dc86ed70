// Identifiers that sort in the order of their creation.
import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(8192);
let used = pool.length;

/** The millisecond of the last id, and its counter. */
let last = 0;
let counter = 0;
const MOST = 0xfff;

/**
 * A UUID version 7 (RFC 9562 §5.7): 48 bits of milliseconds, 12 bits that count within the millisecond from a random start
 * (§6.2, method 1), and 62 random bits. Ids of one process and the same millisecond sort in the order of their creation, up to 2,048 of them.
 */
export function newId(now: number = Date.now()): string {
  if (used + 16 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, used + 16);
  used += 16;
  bytes.writeUIntBE(now, 0, 6);
  counter = now === last && counter < MOST ? counter + 1 : bytes.readUInt16BE(6) & (MOST >> 1);
  last = now;
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
