// Loads the stored tree before the sequencer extends it: it must match its newest stored checkpoint and extend every
// known one.
import {
  EMPTY_FRONTIER,
  consistencyProof,
  frontierAt,
  parseCheckpoint,
  rootHash,
  verifyCheckpoint,
  verifyConsistency,
} from "@strongroom/auditlog";
import type { Checkpoint, Finding, FindingKind, TreeFrontier } from "@strongroom/auditlog";
import type { Db } from "#kernel/db/database.ts";
import type { LogIdentity } from "./signing-key.ts";
import { MissingNodes, nodeReader, readSize } from "./tree.store.ts";
import type { Head } from "./tree.store.ts";

/** Where a contradiction was found. */
export type Source = "checkpoint" | "tree" | "signing-key" | "witness" | "sink" | "sink-cursor" | "pending";

export interface NewContradiction {
  source: Source;
  /** The affected sink or entry; empty for the log itself. */
  subject: string;
  finding: Finding;
  /** Identifies the contradiction: the same claim is the same contradiction. */
  claim: string;
  /** The signed checkpoint that the database does not continue, if the contradiction is about one; else null. */
  known: string | null;
}

/** The database contradicts a known state, so signing would confirm the tampering. */
export class Contradicted extends Error {
  override name = "Contradicted";
  readonly found: NewContradiction;
  constructor(found: NewContradiction) {
    super(found.finding.message);
    this.found = found;
  }
}

const OWN = "the newest checkpoint of this process";

/** A verified checkpoint and the tree that it signed. */
export interface Known extends Checkpoint {
  note: string;
  /** Null if only the checkpoint is known, such as one from the data folder. */
  frontier: TreeFrontier | null;
}

const contradicted = (source: Source, kind: FindingKind, message: string, claim: string, known: string | null) =>
  new Contradicted({ source, subject: "", finding: { kind, index: null, message }, claim, known });

/**
 * The tree to append to; null for an empty log. INVARIANT: the next checkpoint extends both the newest stored checkpoint
 * and the newest known one. Throws Contradicted when it would not.
 */
export async function continueFrom(
  db: Db,
  identity: LogIdentity,
  head: Head,
  known: Known | null,
): Promise<Known | null> {
  if (head.seed === null || !identity.sealedSeed.equals(head.seed)) {
    const message = "the key that signs the log was changed or deleted in the database";
    throw contradicted("signing-key", "signature", message, head.seed?.toString("base64") ?? "", known?.note ?? null);
  }
  if (known !== null && known.frontier !== null && known.note === head.note && known.size === head.size) return known;
  if (known !== null) requireReach(head, known);
  const stored = await loadStored(db, identity, head);
  if (known !== null) await requireExtension(db, known, stored ?? { size: 0, root: rootHash(EMPTY_FRONTIER) });
  return stored;
}

/**
 * Throws Contradicted if the tree does not extend the tree that `known` signed. `which` names where that checkpoint was
 * kept.
 */
export async function requireExtension(
  db: Db,
  known: Pick<Known, "note" | "size" | "root">,
  later: { size: number; root: Buffer },
  which = OWN,
): Promise<void> {
  const { size, root } = known;
  const proof = later.size < size ? null : await proofOf(db, size, later.size);
  const holds =
    proof !== null &&
    verifyConsistency({ earlier: size, size: later.size, earlierRoot: root, root: later.root, proof });
  if (holds) return;
  if (later.size < size) throw truncated(later.size, known, which);
  const message = `the first ${size} entries of the log are not those that ${which} signed`;
  throw contradicted("checkpoint", "rewritten", message, claimOf(known), known.note);
}

function requireReach({ size, signed }: Head, known: Known): void {
  if (size < known.size) throw truncated(size, known, OWN);
  if (signed >= known.size) return;
  const message = `the newest checkpoints are gone: ${known.size} entries were signed, and the newest stored checkpoint signed ${signed}`;
  throw contradicted("checkpoint", "checkpoint", message, claimOf(known), known.note);
}

function truncated(size: number, known: Pick<Known, "note" | "size" | "root">, which: string): Contradicted {
  const gone = size + 1 === known.size ? `entry ${size} is` : `entries ${size} to ${known.size - 1} are`;
  const message = `the log ends at ${size} but ${which} signed ${known.size} entries: ${gone} gone`;
  return new Contradicted({
    source: "checkpoint",
    subject: "",
    finding: { kind: "truncated", index: size, message },
    claim: claimOf(known),
    known: known.note,
  });
}

/** The same tree gives the same claim, whatever its source. */
const claimOf = ({ size, root }: { size: number; root: Buffer }): string => `${size} ${root.toString("base64")}`;

/** Reads a note from outside the database. Throws Contradicted if this log did not sign it. */
export function readKnown(note: string, { signer, origin }: LogIdentity, which: string): Known {
  const read = verifyCheckpoint(note, signer);
  if (read.outcome === "verified" && read.checkpoint.origin === origin)
    return { ...read.checkpoint, note, frontier: null };
  const said = parseCheckpoint(note);
  const message =
    said === null || said.origin === origin
      ? `${which} was changed: it is not signed with the key of this log`
      : `${which} is of another log, ${said.origin} of ${said.size} entries: this database is not that one`;
  throw contradicted("checkpoint", "signature", message, note, note);
}

/**
 * Checks a note from outside the database against the current tree. Throws Contradicted if this log did not sign it, or
 * if the tree does not extend the tree that it signed.
 */
export async function requireKnown(db: Db, identity: LogIdentity, note: string, which: string) {
  const kept = readKnown(note, identity, which);
  const size = await readSize(db);
  const frontier = size < kept.size ? null : await frontierOf(db, size);
  const root = rootHash(frontier ?? EMPTY_FRONTIER);
  // With nodes missing there is no root and no proof, not even for the known tree itself.
  await requireExtension(db, kept, { size: frontier === null ? Math.min(size, kept.size) : size, root }, which);
  return { kept };
}

/** The stored tree, if its newest stored checkpoint signed it; null before the first checkpoint. */
async function loadStored(db: Db, { signer, origin }: LogIdentity, head: Head): Promise<Known | null> {
  const { size, signed, note } = head;
  if (note === null && size === 0) return null;
  const damaged = (kind: FindingKind, message: string) =>
    contradicted("tree", kind, message, `${message} ${note}`, note);
  if (note === null) throw damaged("checkpoint", `all checkpoints over the ${size} entries of the log are gone`);
  const read = verifyCheckpoint(note, signer);
  if (read.outcome !== "verified" || read.checkpoint.origin !== origin) {
    throw damaged("signature", "the newest stored checkpoint is not signed with the key of this log");
  }
  if (size < signed || size < read.checkpoint.size) {
    throw damaged("truncated", `the log ends at ${size} but its newest stored checkpoint signed ${signed} entries`);
  }
  if (size > read.checkpoint.size) {
    throw damaged(
      "checkpoint",
      `the newest checkpoints are gone: ${size} entries have a place but only ${signed} are signed`,
    );
  }
  const frontier = await frontierOf(db, size);
  if (frontier === null || !rootHash(frontier).equals(read.checkpoint.root)) {
    throw damaged("rewritten", `the stored tree of ${size} entries is not the one that its newest checkpoint signed`);
  }
  return { ...read.checkpoint, note, frontier };
}

/** Null if some of its nodes are missing. */
export const frontierOf = (db: Db, size: number): Promise<TreeFrontier | null> =>
  frontierAt(nodeReader(db), size).catch(missing);

/** Null if nodes are missing, which makes a proof impossible. */
const proofOf = (db: Db, earlier: number, size: number): Promise<Buffer[] | null> =>
  consistencyProof(nodeReader(db), earlier, size).catch(missing);

function missing(error: unknown): null {
  if (error instanceof MissingNodes) return null;
  throw error;
}
