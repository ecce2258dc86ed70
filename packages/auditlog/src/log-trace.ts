// Follows a log leaf by leaf and compares it with signed checkpoints, in constant memory; reports where they differ.
import { EMPTY_FRONTIER, appendLeaves, rootHash } from "./tree.ts";
import type { TreeFrontier } from "./tree.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { checkpointOf, entries } from "./findings.ts";
import type { Findings, VerifyReport } from "./findings.ts";

/** A checkpoint with a verified signature. */
export interface SignedCheckpoint extends Checkpoint {
  readonly signedAt: Date;
}

/**
 * One index of the log: the leaf hash written beside the entry, and the hash of its bytes (null if there are no bytes).
 */
export interface TracedLeaf {
  readonly index: number;
  readonly written: Buffer;
  readonly computed: Buffer | null;
}

/** The frontier of the first `size` leaves from another source, such as stored nodes; null when unknown. */
export type Recover = (size: number) => Promise<TreeFrontier | null>;

/** Swapped leaves are searched for among up to this many leaves between two checkpoints. */
const MAX_SEARCHED = 128;
const MAX_DIFFERING = 1000;

/**
 * Add leaves in order, and each checkpoint when {@link LogTrace.size} is its size. Two trees grow side by side, one
 * from the written hashes and one from the entries' bytes: the one that the signature confirms shows what was changed.
 */
export class LogTrace {
  /** Entries seen, and entries that a checkpoint covers unchanged. */
  size = 0;
  proven = 0;
  agreed = 0;
  newest: SignedCheckpoint | null = null;
  #written: TreeFrontier | null = EMPTY_FRONTIER;
  #computed: TreeFrontier | null = EMPTY_FRONTIER;
  /** Where the leaves since the last checkpoint start, and their hashes unless there are too many. */
  #anchor: TreeFrontier | null = EMPTY_FRONTIER;
  #anchorSize = 0;
  #since: Buffer[] = [];
  #differing: TracedLeaf[] = [];
  /** Among the leaves since the last checkpoint: those without bytes, and those with different bytes. */
  #absent = 0;
  #altered = 0;
  readonly #findings: Findings;
  readonly #recover: Recover;

  constructor(findings: Findings, recover: Recover = async () => null) {
    this.#findings = findings;
    this.#recover = recover;
  }

  /** The report on the whole log, with the findings so far. */
  report(facts: Pick<VerifyReport, "isIntact" | "origin" | "entries">): VerifyReport {
    return {
      ...facts,
      proven: this.proven,
      checkpoints: this.agreed,
      size: this.newest?.size ?? null,
      signedAt: this.newest?.signedAt ?? null,
      findings: this.#findings.kept,
      omitted: this.#findings.omitted,
    };
  }

  /** The number of entries seen so far that a matching checkpoint should cover. */
  get signedSize(): number {
    return this.#anchorSize;
  }

  /** The next leaf. An index beyond the next one means that those between are missing (the caller reports them). */
  add(leaf: TracedLeaf): void {
    if (leaf.index > this.size) this.skipTo(leaf.index);
    const { written, computed } = leaf;
    const areSame = this.#written === this.#computed && computed !== null && computed.equals(written);
    if (this.#written) this.#written = appendLeaves(this.#written, [written]).frontier;
    if (areSame) this.#computed = this.#written;
    else this.#computed = this.#computed && computed && appendLeaves(this.#computed, [computed]).frontier;
    if (computed === null) this.#absent++;
    else if (!computed.equals(written)) this.#differ(leaf);
    if (this.#since.length <= MAX_SEARCHED) this.#since.push(written);
    this.size++;
  }

  /** Leaves up to `index` are unavailable: nothing can be proved until the tree is recovered. */
  skipTo(index: number): void {
    this.#written = this.#computed = this.#anchor = null;
    this.#absent += index - this.size;
    this.size = index;
  }

  /** Compares with a checkpoint of exactly this size. */
  async meet(checkpoint: SignedCheckpoint): Promise<void> {
    const isRoot = (tree: TreeFrontier | null) => tree !== null && rootHash(tree).equals(checkpoint.root);
    const seen = this.size - this.#anchorSize;
    if (isRoot(this.#written)) {
      this.#agree(checkpoint, seen - this.#absent - this.#altered);
      return this.#restart(this.#written);
    }
    if (isRoot(this.#computed)) {
      this.#agree(checkpoint, seen);
      const hashesOnly = this.#differing.filter(({ index }) => index >= this.#anchorSize);
      for (const { index } of hashesOnly) {
        this.#findings.add(
          "changed",
          index,
          `the hash stored with entry ${index} was changed; the entry itself was not`,
        );
      }
      this.#differing = this.#differing.filter((leaf) => !hashesOnly.includes(leaf));
      return this.#restart(this.#computed);
    }
    // Without a tree to compare, the missing entries have been reported already.
    const corrected = this.#written && this.#reportDisagreement(checkpoint);
    const tree = corrected ?? (await this.#recover(checkpoint.size));
    this.#restart(isRoot(tree) ? tree : null);
  }

  /** Reports the entries whose bytes do not match their hash, once all of them are known. */
  end(): void {
    this.#reportDiffering();
  }

  #differ(leaf: TracedLeaf): void {
    this.#altered++;
    if (this.#differing.length < MAX_DIFFERING) this.#differing.push(leaf);
    else this.#findings.add("changed", leaf.index, `entry ${leaf.index} was changed`);
  }

  #agree(checkpoint: SignedCheckpoint, entriesProven: number): void {
    this.agreed++;
    this.proven += entriesProven;
    if (checkpoint.size >= (this.newest?.size ?? 0)) this.newest = checkpoint;
  }

  #restart(tree: TreeFrontier | null): void {
    this.#written = this.#computed = this.#anchor = tree;
    this.#anchorSize = this.size;
    this.#since = [];
    this.#absent = this.#altered = 0;
  }

  /** Reports the mismatch; returns the signed tree if it could be reconstructed. */
  #reportDisagreement(checkpoint: SignedCheckpoint): TreeFrontier | null {
    const [from, to] = [this.#anchorSize, this.size - 1];
    const found = this.#findSwapped(checkpoint.root);
    if (found) {
      const [a, b] = [from + found.i, from + found.j];
      this.#findings.add("swapped", a, `entries ${a} and ${b} were swapped`);
      return found.signed;
    }
    const signed = checkpointOf(checkpoint);
    const words =
      from > to
        ? `${signed} signed a different log of ${checkpoint.size} entries`
        : from === to
          ? `entry ${from} is not what ${signed} signed`
          : `${entries(from, to, "is")} not what ${signed} signed: at least one was changed, added, removed or moved`;
    this.#findings.add("rewritten", from > to ? null : from, words);
    return null;
  }

  /** The two leaves since the last checkpoint that give the signed root when swapped back. */
  #findSwapped(root: Buffer): { i: number; j: number; signed: TreeFrontier } | null {
    const leaves = this.#since;
    if (this.#anchor === null || leaves.length > MAX_SEARCHED) return null;
    for (const [i, a] of leaves.entries()) {
      for (const [k, b] of leaves.slice(i + 1).entries()) {
        const j = i + 1 + k;
        const signed = appendLeaves(this.#anchor, leaves.with(i, b).with(j, a)).frontier;
        if (rootHash(signed).equals(root)) return { i, j, signed };
      }
    }
    return null;
  }

  /** Entries whose bytes do not match their written hash: swapped with each other, or changed. */
  #reportDiffering(): void {
    const homes = new Map(this.#differing.map(({ written, index }) => [written.toString("base64"), index]));
    const homeOf = new Map(
      this.#differing.map(({ computed, index }) => [index, homes.get(computed?.toString("base64") ?? "")]),
    );
    for (const { index } of this.#differing) {
      const home = homeOf.get(index);
      if (home === undefined) this.#findings.add("changed", index, `entry ${index} was changed`);
      else if (homeOf.get(home) !== index) {
        this.#findings.add("reordered", index, `entry ${home} was moved to the position of entry ${index}`);
      } else if (index < home) this.#findings.add("swapped", index, `entries ${index} and ${home} were swapped`);
    }
    this.#differing = [];
  }
}
