// Checks everything that is stored against the tree, the signed checkpoints and the checkpoint file.
import { compareStored, decodeEntry, grantOf, leafHash } from "@strongroom/auditlog";
import type { AuditEntry, Finding, VerifyReport } from "@strongroom/auditlog";
import type { Db } from "#kernel/db/database.ts";
import { createTally, readCounters } from "./counts.store.ts";
import type { CheckpointFile } from "./checkpoint-file.ts";
import type { LogIdentity } from "./signing-key.ts";
import { frontierOf } from "./tree.ts";
import { readCheckpoints, readLeaves, readReach, readUnplaced } from "./tree.store.ts";
import type { LeafWithEntry } from "./tree.store.ts";

const MOST_FINDINGS = 1000;

/**
 * Reads every entry once, in pages; entries recorded meanwhile are left to the next time. Finds what `compareStored`
 * finds, and what only the database can show: listed columns that say something else than the entry, and entries
 * without a place.
 */
export async function verifyStored(db: Db, identity: LogIdentity, file: CheckpointFile): Promise<VerifyReport> {
  const { size, counters } = await readCounters(db);
  const { signed } = await readReach(db);
  const tally = createTally();
  const more: Finding[] = [];
  const add = (finding: Finding) => more.length < MOST_FINDINGS && more.push(finding);
  const report = await compareStored({
    origin: identity.origin,
    verifier: identity.signer,
    leaves: compareColumns(readLeaves(db, size), { add, tally }),
    checkpoints: notes(db, Math.max(size, signed)),
    kept: await file.readAll(),
    recover: (at) => frontierOf(db, at),
  });
  for await (const id of readUnplaced(db)) {
    add({
      kind: "added",
      index: null,
      message: `entry ${id} has no place in the log: it was not recorded by this product, or its place was removed`,
    });
  }
  // Of entries that were changed or are gone, other words were said already.
  if (report.isIntact && more.length === 0 && !agree(counters, tally.counters)) {
    add({ kind: "changed", index: null, message: "the counters of the lists say something else than the entries" });
  }
  return { ...report, isIntact: report.isIntact && more.length === 0, findings: [...report.findings, ...more] };
}

async function* notes(db: Db, size: number): AsyncGenerator<string> {
  for await (const { note } of readCheckpoints(db, size)) yield note;
}

const agree = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean =>
  one.size === other.size && [...one].every(([key, n]) => other.get(key) === n);

async function* compareColumns(
  leaves: AsyncIterable<LeafWithEntry>,
  { add, tally }: { add: (finding: Finding) => void; tally: ReturnType<typeof createTally> },
): AsyncGenerator<LeafWithEntry> {
  for await (const leaf of leaves) {
    const column = changedColumn(leaf);
    if (leaf.listed !== null) tally.add({ ...leaf.listed, at: leaf.listed.at.toISOString() });
    if (column !== null) {
      add({
        kind: "changed",
        index: leaf.index,
        message: `entry ${leaf.index} is listed with another ${column} than it was recorded with`,
      });
    }
    yield leaf;
  }
}

/** The first column that says something else than the entry does; null also for an entry that was changed itself. */
function changedColumn({ canonical, leafHash: hash, listed, entryId }: LeafWithEntry): string | null {
  if (canonical === null || listed === null || !leafHash(canonical).equals(hash)) return null;
  const recorded = recordedColumns(canonical);
  if (recorded === null) return "content";
  const shown = { ...listed, id: entryId, at: listed.at.toISOString() };
  for (const [name, value] of Object.entries(recorded)) {
    if (shown[name as keyof typeof shown] !== value) return name.replace("_", " ");
  }
  return null;
}

/** Null when what stands there was never encoded by this product, whatever its hash. */
function recordedColumns(canonical: Buffer) {
  try {
    return columnsOf(decodeEntry(canonical));
  } catch {
    return null; // The caller names it.
  }
}

function columnsOf(entry: AuditEntry) {
  const { id, at, event, actor, target, result, severity } = entry;
  return {
    id,
    at,
    event,
    actor_id: "id" in actor ? actor.id : null,
    actor_name: "id" in actor ? actor.name : actor.system,
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    result,
    severity: severity ?? null,
    grant_id: grantOf(entry),
  };
}
