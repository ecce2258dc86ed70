// The Merkle tree of RFC 9162: hashing, and a frontier that grows the tree without keeping the leaves.
import { hash } from "node:crypto";

export const HASH_BYTES = 32;

/** RFC 9162 §2.1.1: SHA-256(0x00 || entry). */
export function leafHash(entry: Uint8Array): Buffer {
  return hash("sha256", Buffer.concat([LEAF, entry]), "buffer");
}

/** RFC 9162 §2.1.1: SHA-256(0x01 || left || right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return hash("sha256", Buffer.concat([NODE, left, right]), "buffer");
}

const LEAF = Buffer.from([0x00]);
const NODE = Buffer.from([0x01]);

/** RFC 9162 §2.1.1: the root of an empty tree is the hash of nothing. */
const EMPTY_ROOT = hash("sha256", "", "buffer");

/**
 * The right edge of a tree: the hashes of its complete subtrees, largest (leftmost) first, one for each 1 bit of
 * `size`. Appending and the root hash need nothing else; at most 53 hashes.
 */
export interface TreeFrontier {
  readonly size: number;
  readonly hashes: readonly Buffer[];
}

export const EMPTY_FRONTIER: TreeFrontier = { size: 0, hashes: [] };

/** A complete subtree: the leaves from `index * 2^level` to `(index + 1) * 2^level` (exclusive). */
export interface NodeAddress {
  readonly level: number;
  readonly index: number;
}

export interface TreeNode extends NodeAddress {
  readonly hash: Buffer;
}

export interface Appended {
  readonly frontier: TreeFrontier;
  /** The complete subtrees of level 1 and above that the new leaves completed, children before parents. Store them. */
  readonly nodes: readonly TreeNode[];
}

/** Appends leaves (RFC 9162 §2.1.1 hashes of 32 bytes). About one hash per leaf, whatever the size of the tree. */
export function appendLeaves(frontier: TreeFrontier, leaves: readonly Buffer[]): Appended {
  const hashes = [...frontier.hashes];
  const nodes: TreeNode[] = [];
  let { size } = frontier;
  for (const leaf of leaves) {
    if (leaf.length !== HASH_BYTES) throw new RangeError(`a leaf hash must have ${HASH_BYTES} bytes`);
    let subtree: Buffer = leaf;
    let index = size;
    // Each trailing 1 bit of the leaf's index is a left neighbour of equal size that this leaf completes.
    for (let level = 1; index % 2 === 1; level++) {
      const left = hashes.pop();
      if (left === undefined) throw new RangeError("a frontier must have one hash for each 1 bit of its size");
      index = (index - 1) / 2;
      subtree = nodeHash(left, subtree);
      nodes.push({ level, index, hash: subtree });
    }
    hashes.push(subtree);
    size++;
  }
  return { frontier: { size, hashes }, nodes };
}

/** The root hash of the whole tree (RFC 9162 §2.1.1). */
export function rootHash({ hashes }: TreeFrontier): Buffer {
  return joinSubtrees(hashes);
}

/** The hash over neighbouring complete subtrees, largest first: the right edge of a tree or of a part of it. */
export function joinSubtrees(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return EMPTY_ROOT;
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}
