// Inclusion and consistency proofs (RFC 9162 §2.1.3 and §2.1.4), made from stored nodes and verified without them.
import { EMPTY_FRONTIER, HASH_BYTES, joinSubtrees, nodeHash, rootHash } from "./tree.ts";
import type { NodeAddress, TreeFrontier } from "./tree.ts";

/**
 * The storage port: the hashes of complete subtrees, in the order requested. Level 0 are the leaf hashes, higher
 * levels the nodes returned by `appendLeaves`. A proof reads once, at most about (log2 size)² / 2 nodes. Must throw
 * for an unknown node.
 */
export type ReadNodes = (addresses: readonly NodeAddress[]) => Promise<readonly Buffer[]>;

/** Leaves from `start` to `end` (exclusive), where a subtree of the RFC's tree begins at `start`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The inclusion proof (audit path) of leaf `index` in the tree of the first `size` leaves, leaf's sibling first
 * (RFC 9162 §2.1.3.1). Throws a RangeError when there is no such leaf.
 */
export async function inclusionProof(readNodes: ReadNodes, index: number, size: number): Promise<Buffer[]> {
  if (!isCount(index) || !isCount(size) || index >= size) {
    throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  }
  const path: Range[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + largestPowerOfTwoBelow(end - start);
    if (index < middle) {
      path.unshift({ start: middle, end });
      end = middle;
    } else {
      path.unshift({ start, end: middle });
      start = middle;
    }
  }
  return readRanges(readNodes, path);
}

/**
 * Proves that the first `size` leaves begin with exactly the first `earlier` leaves (RFC 9162 §2.1.4.1). Empty when
 * there is nothing to prove: `earlier` is 0 or equals `size`. Throws a RangeError when `earlier` is larger.
 */
export async function consistencyProof(readNodes: ReadNodes, earlier: number, size: number): Promise<Buffer[]> {
  if (!isCount(earlier) || !isCount(size) || earlier > size) {
    throw new RangeError(`a tree of ${size} leaves has no earlier tree of ${earlier}`);
  }
  if (earlier === 0) return [];
  const path: Range[] = [];
  let [start, end] = [0, size];
  while (earlier < end) {
    const middle = start + largestPowerOfTwoBelow(end - start);
    if (earlier <= middle) {
      path.unshift({ start: middle, end });
      end = middle;
    } else {
      path.unshift({ start, end: middle });
      start = middle;
    }
  }
  // The verifier knows the earlier root itself, but not a subtree inside it.
  if (start > 0) path.unshift({ start, end });
  return readRanges(readNodes, path);
}

/** The frontier of the first `size` leaves, from stored nodes. */
export async function frontierAt(readNodes: ReadNodes, size: number): Promise<TreeFrontier> {
  if (size === 0) return EMPTY_FRONTIER;
  return { size, hashes: await readNodes(completeSubtrees({ start: 0, end: size })) };
}

/**
 * Whether the leaf with this hash is at `index` of the tree with `size` leaves and this `root` (RFC 9162 §2.1.3.2).
 * Never throws: a malformed proof is an invalid one.
 */
export function verifyInclusion(claim: {
  readonly index: number;
  readonly size: number;
  readonly leaf: Buffer;
  readonly proof: readonly Buffer[];
  readonly root: Buffer;
}): boolean {
  const { index, size, leaf, proof, root } = claim;
  if (!isCount(index) || !isCount(size) || index >= size || leaf.length !== HASH_BYTES) return false;
  let [fn, sn, r] = [index, size - 1, leaf];
  for (const p of proof) {
    if (sn === 0 || p.length !== HASH_BYTES) return false;
    if (isOdd(fn) || fn === sn) {
      r = nodeHash(p, r);
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      r = nodeHash(r, p);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && r.equals(root);
}

/**
 * Whether the tree of `size` leaves with `root` begins with the tree of `earlier` leaves with `earlierRoot` (RFC 9162
 * §2.1.4.2). Every tree begins with the empty one and with itself. Never throws.
 */
export function verifyConsistency(claim: {
  readonly earlier: number;
  readonly size: number;
  readonly earlierRoot: Buffer;
  readonly root: Buffer;
  readonly proof: readonly Buffer[];
}): boolean {
  const { earlier, size, earlierRoot, root, proof } = claim;
  if (!isCount(earlier) || !isCount(size) || earlier > size) return false;
  if (earlier === size) return proof.length === 0 && earlierRoot.equals(root);
  if (earlier === 0) return proof.length === 0 && earlierRoot.equals(rootHash(EMPTY_FRONTIER));
  if (proof.length === 0) return false;

  const [first, ...rest] = isPowerOfTwo(earlier) ? [earlierRoot, ...proof] : proof;
  if (first === undefined || first.length !== HASH_BYTES) return false;
  let [fn, sn, fr, sr] = [earlier - 1, size - 1, first, first];
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)];
  for (const c of rest) {
    if (sn === 0 || c.length !== HASH_BYTES) return false;
    if (isOdd(fn) || fn === sn) {
      fr = nodeHash(c, fr);
      sr = nodeHash(c, sr);
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      sr = nodeHash(sr, c);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && fr.equals(earlierRoot) && sr.equals(root);
}

/** The complete subtrees that make up a range, largest first. */
function completeSubtrees({ start, end }: Range): NodeAddress[] {
  const addresses: NodeAddress[] = [];
  for (let at = start; at < end;) {
    let [level, width] = [0, 1];
    while (at % (width * 2) === 0 && at + width * 2 <= end) [level, width] = [level + 1, width * 2];
    addresses.push({ level, index: at / width });
    at += width;
  }
  return addresses;
}

/** The hash of each range (RFC 9162 §2.1.1), with one read. */
async function readRanges(readNodes: ReadNodes, ranges: readonly Range[]): Promise<Buffer[]> {
  const parts = ranges.map(completeSubtrees);
  const hashes = await readNodes(parts.flat());
  let at = 0;
  return parts.map((part) => joinSubtrees(hashes.slice(at, (at += part.length))));
}

// Sizes can exceed 2^31, so this uses no bit operators, which work on 32 bits.
const half = (n: number) => Math.floor(n / 2);
const isOdd = (n: number) => n % 2 === 1;
const isCount = (n: number) => Number.isSafeInteger(n) && n >= 0;

function largestPowerOfTwoBelow(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

function isPowerOfTwo(n: number): boolean {
  return largestPowerOfTwoBelow(n + 1) === n;
}
