// Checks all stored rows against the tree, the signed checkpoints and all state known outside the database.
import { compareStored, decodeEntry, grantOf, leafHash } from "@strongroom/auditlog";
import type { AuditEntry, Finding, VerifyReport } from "@strongroom/auditlog";
import type { Db } from "#kernel/db/database.ts";
import { createTally, readCounters } from "../trail/counts.store.ts";
import type { CheckpointFile } from "./checkpoint-file.ts";
import { createNameCheck, createNodeCheck, createOrderCheck } from "./derived-rows.ts";
import type { LogIdentity } from "./signing-key.ts";
import { frontierOf } from "./tree.ts";
import { readCheckpoints, readHead, readLeaves, readReach, readUnplaced } from "./tree.store.ts";
import type { LeafWithEntry } from "./tree.store.ts";

const MOST_FINDINGS = 1000;

/** Inputs of a check besides the rows of the trail. */
export interface KnownOutside {
  file: CheckpointFile;
  /** Open contradictions, and the positions of sinks and witnesses. */
  others: () => Promise<Finding[]>;
  /** Unsigned entries that administrators have accepted. */
  acceptedEntries: () => Promise<ReadonlySet<string>>;
}

/**
 * Reads every entry once, in pages; entries recorded in the meantime are left to the next check. Finds what `compareStored`
 * finds, and differences inside the database: listed columns that differ from the entry, entries outside the tree, and
 * derived rows (nodes, counters, hours, names, the order of lists) that do not match the entries.
 */
export async function verifyStored(
  db: Db,
  identity: LogIdentity,
  { file, others, acceptedEntries }: KnownOutside,
): Promise<VerifyReport> {
  const { size, counters } = await readCounters(db);
  const { signed } = await readReach(db);
  const head = await readHead(db);
  const tally = createTally();
  const more: Finding[] = [];
  /** Skips findings that follow from a changed entry, which would be reported twice. */
  const derived: Finding[] = [];
  const into = (list: Finding[]) => (finding: Finding) => void (list.length < MOST_FINDINGS && list.push(finding));
  const add = into(more);
  const checks = [
    createNodeCheck(db, into(derived)),
    createNameCheck(db, into(derived)),
    createOrderCheck(into(derived)),
  ];
  const report = await compareStored({
    origin: identity.origin,
    verifier: identity.signer,
    leaves: compareColumns(readLeaves(db, size), { add, tally, also: checks.map(({ take }) => take) }),
    checkpoints: notes(db, Math.max(size, signed)),
    kept: await file.readAll(),
    recover: (at) => frontierOf(db, at),
  });
  for (const { end } of checks) await end();
  const accepted = await acceptedEntries();
  for await (const id of readUnplaced(db)) {
    if (accepted.has(id)) continue;
    add({
      kind: "added",
      index: null,
      message: `entry ${id} is not in the log: Strongroom did not record it, or it was removed from the log`,
    });
  }
  if (head.seed === null || !head.seed.equals(identity.sealedSeed)) {
    add({
      kind: "signature",
      index: null,
      message: "the key that signs the log was changed or deleted in the database",
    });
  }
  // Skipped if an entry was changed or deleted: differences in derived rows would only follow from it.
  if (report.isIntact && more.length === 0) {
    for (const finding of derived) add(finding);
    if (head.signed < head.size) add(unsigned(head));
    if (!agree(counters, tally.counters)) {
      add({ kind: "changed", index: null, message: "the list counters do not match the entries" });
    }
  }
  const said = [...report.findings, ...more];
  for (const finding of await others()) {
    if (!said.some((each) => isSame(each, finding))) add(finding);
    said.push(finding);
  }
  return { ...report, isIntact: report.isIntact && more.length === 0, findings: [...report.findings, ...more] };
}

/** A defect of the whole log is reported once, with the affected entries. */
const isSame = (one: Finding, other: Finding): boolean =>
  one.message === other.message || (one.kind === other.kind && ["truncated", "rewritten"].includes(one.kind));

function unsigned({ size, signed, note }: { size: number; signed: number; note: string | null }): Finding {
  const message =
    note === null
      ? `all checkpoints over the ${size} entries of the log are gone`
      : `the newest checkpoints are gone: ${size} entries are in the log, and the newest stored checkpoint signed ${signed}`;
  return { kind: "checkpoint", index: null, message };
}

async function* notes(db: Db, size: number): AsyncGenerator<string> {
  for await (const { note } of readCheckpoints(db, size)) yield note;
}

const agree = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean =>
  one.size === other.size && [...one].every(([key, n]) => other.get(key) === n);

interface Beside {
  add: (finding: Finding) => void;
  tally: ReturnType<typeof createTally>;
  also: readonly ((leaf: LeafWithEntry) => Promise<void>)[];
}

async function* compareColumns(
  leaves: AsyncIterable<LeafWithEntry>,
  { add, tally, also }: Beside,
): AsyncGenerator<LeafWithEntry> {
  for await (const leaf of leaves) {
    const column = changedColumn(leaf);
    if (leaf.listed !== null) tally.add({ ...leaf.listed, at: leaf.listed.at.toISOString() });
    if (column !== null) {
      add({
        kind: "changed",
        index: leaf.index,
        message: `entry ${leaf.index} is listed with a different ${column} than recorded`,
      });
    }
    for (const take of also) await take(leaf);
    yield leaf;
  }
}

/** The first column that differs from the entry; null if none does, or if the entry itself was changed. */
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

/** Null if Strongroom never encoded this content, whatever its hash. */
function recordedColumns(canonical: Buffer) {
  try {
    return columnsOf(decodeEntry(canonical));
  } catch {
    return null; // The caller reports the invalid entry.
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
