// Identifiers that sort in the order of their creation.
import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(8192);
let used = pool.length;

/** A UUID version 7 (RFC 9562 §5.7): 48 bits of milliseconds, then random bits. */
export function newId(now: number = Date.now()): string {
  if (used + 16 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, used + 16);
  used += 16;
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
