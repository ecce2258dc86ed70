// Compares the tree that the sequencer built with the current store, and reports how the store was changed.
import { leafHash } from "./tree.ts";
import { checkpointOf, entries } from "./findings.ts";
import { Findings } from "./findings.ts";
import type { VerifyReport } from "./findings.ts";
import { isOfLog, readSignedCheckpoint } from "./export-check.ts";
import { LogTrace } from "./log-trace.ts";
import type { Recover, SignedCheckpoint } from "./log-trace.ts";
import { encodeVerifierKey } from "./signed-note.ts";
import type { NoteVerifier } from "./signed-note.ts";

/** One index of the tree as stored, with the entry that belongs there. */
export interface StoredLeaf {
  readonly index: number;
  readonly entryId: string;
  readonly leafHash: Buffer;
  /** The entry's canonical bytes; null when the entry is gone. */
  readonly canonical: Buffer | null;
}

export interface StoredLog {
  readonly origin: string;
  readonly verifier: NoteVerifier;
  /** Ordered by index. */
  readonly leaves: AsyncIterable<StoredLeaf>;
  /** Signed notes, smallest size first. */
  readonly checkpoints: AsyncIterable<string>;
  /** Signed notes kept outside the store. */
  readonly kept: readonly string[];
  /** The tree from stored nodes, so that the check continues after a broken entry. */
  readonly recover?: Recover;
}

/**
 * Checks a stored log, streaming. Reports entries that were deleted, changed, swapped or moved, missing tree records,
 * and a log that is shorter than a checkpoint says. Every problem is a finding; only the port throws.
 */
export async function compareStored(log: StoredLog): Promise<VerifyReport> {
  const findings = new Findings();
  const trace = new LogTrace(findings, log.recover);
  const signed = signedCheckpoints(log, findings);
  let checkpoint = await signed.next();
  const meetUpTo = async (size: number) => {
    for (; !checkpoint.done && checkpoint.value.size <= size; checkpoint = await signed.next()) {
      if (checkpoint.value.size === size) await trace.meet(checkpoint.value);
    }
  };

  let count = 0;
  await meetUpTo(0);
  for await (const leaf of log.leaves) {
    if (leaf.index > trace.size) {
      const gone = entries(trace.size, leaf.index - 1, "is");
      findings.add("missing", trace.size, `${gone} missing: the tree's record of it was deleted`);
    }
    if (leaf.canonical === null) {
      findings.add("deleted", leaf.index, `entry ${leaf.index} (${leaf.entryId}) was deleted`);
    }
    count++;
    const computed = leaf.canonical && leafHash(leaf.canonical);
    trace.add({ index: leaf.index, written: leaf.leafHash, computed });
    await meetUpTo(trace.size);
  }
  trace.end();
  let beyond: SignedCheckpoint | null = null;
  for (; !checkpoint.done; checkpoint = await signed.next()) beyond = checkpoint.value;
  if (beyond) reportTruncated(trace.size, beyond, findings);
  else if (trace.signedSize < trace.size) reportUnsigned(trace.signedSize, trace.size, findings);

  return trace.report({
    isIntact: findings.isEmpty && trace.proven === count,
    origin: log.origin,
    entries: count,
  });
}

/** The checkpoints with valid signatures, stored and kept ones together, smallest first. */
async function* signedCheckpoints(log: StoredLog, findings: Findings): AsyncGenerator<SignedCheckpoint> {
  const key = encodeVerifierKey(log.verifier);
  const read = (note: string, which: string) => {
    const signed = readSignedCheckpoint(note, key, log.verifier, which, findings);
    return signed && isOfLog(signed, log.origin, findings) ? signed : null;
  };
  const kept = log.kept
    .flatMap((note) => read(note, "a checkpoint kept outside the store") ?? [])
    .sort((a, b) => a.size - b.size);
  let last = 0;
  for await (const note of log.checkpoints) {
    const signed = read(note, `the stored checkpoint after ${last} entries`);
    if (signed === null) continue;
    while (kept[0] !== undefined && kept[0].size <= signed.size) yield kept.shift()!;
    if (signed.size < last) {
      findings.add("checkpoint", null, `the stored checkpoint over ${signed.size} entries is out of place`);
      continue;
    }
    last = signed.size;
    yield signed;
  }
  yield* kept;
}

function reportTruncated(size: number, checkpoint: SignedCheckpoint, findings: Findings): void {
  const gone = entries(size, checkpoint.size - 1, "is");
  const signed = `${checkpointOf(checkpoint)} signed ${checkpoint.size} entries`;
  findings.add("truncated", size, `the log ends at ${size} but ${signed}: ${gone} gone`);
}

function reportUnsigned(from: number, size: number, findings: Findings): void {
  const last = size - 1;
  const which = from === last ? `entry ${from} has an index` : `entries ${from} to ${last} have indexes`;
  findings.add("added", from, `${which} that no checkpoint signed`);
}
