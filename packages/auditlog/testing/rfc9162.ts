// RFC 9162 §2.1 word for word, recursive and slow: the reference for the real implementation.
import { createHash } from "node:crypto";

const sha256 = (...parts: Uint8Array[]) => parts.reduce((h, part) => h.update(part), createHash("sha256")).digest();

/** The largest power of two smaller than n. */
function split(n: number): number {
  return 2 ** (Math.ceil(Math.log2(n)) - 1);
}

/** §2.1.1: MTH(D_n), over entries and not over their hashes. */
export function mth(d: readonly Buffer[]): Buffer {
  if (d.length === 0) return sha256();
  if (d.length === 1) return sha256(Buffer.of(0), d[0]!);
  const k = split(d.length);
  return sha256(Buffer.of(1), mth(d.slice(0, k)), mth(d.slice(k)));
}

/** §2.1.3.1: PATH(m, D_n). */
export function path(m: number, d: readonly Buffer[]): Buffer[] {
  if (d.length === 1) return [];
  const k = split(d.length);
  return m < k ? [...path(m, d.slice(0, k)), mth(d.slice(k))] : [...path(m - k, d.slice(k)), mth(d.slice(0, k))];
}

/** §2.1.4.1: PROOF(m, D_n), for 0 < m < n. */
export function proof(m: number, d: readonly Buffer[]): Buffer[] {
  return subproof(m, d, true);
}

function subproof(m: number, d: readonly Buffer[], b: boolean): Buffer[] {
  const n = d.length;
  if (m === n) return b ? [] : [mth(d)];
  const k = split(n);
  return m <= k
    ? [...subproof(m, d.slice(0, k), b), mth(d.slice(k))]
    : [...subproof(m - k, d.slice(k), false), mth(d.slice(0, k))];
}
