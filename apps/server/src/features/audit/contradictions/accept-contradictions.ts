// Applies an administrator's decision about contradictions: accepts the database as it is, audits the decision, keeps
// the evidence, and lets the log continue.
import { consistencyProof, rootHash, signCheckpoint, verifyCheckpoint, verifyConsistency } from "@strongroom/auditlog";
import type { KeyRing } from "@strongroom/keys";
import type { Contradiction, ReplyOf, listContradictions } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { INTEGRITY_PURPOSE, decisionMac } from "./contradictions.ts";
import { listAccepted, listOpen, lockOpen, recordDecision } from "./contradictions.store.ts";
import type { ContradictionRow } from "./contradictions.store.ts";
import type { LogIdentity } from "../tree/signing-key.ts";
import { frontierOf } from "../tree/tree.ts";
import { lockTree, nodeReader, readHead, replaceCheckpoints, restoreSeed } from "../tree/tree.store.ts";
import type { Head } from "../tree/tree.store.ts";

const MOST_SHOWN = 50;

export async function showContradictions(db: Db): Promise<ReplyOf<typeof listContradictions>> {
  const [open, accepted, head] = await Promise.all([listOpen(db), listAccepted(db, MOST_SHOWN), readHead(db)]);
  return { open: open.map(shown), accepted: accepted.map(shown), checkpoint: head.note, size: head.size };
}

export interface Decision {
  /** The ids of all open contradictions; the administrator has seen each of them. */
  ids: readonly string[];
  /** The newest stored checkpoint, as shown to the administrator; null before the first. */
  checkpoint: string | null;
  by: string;
  reason: string;
}

/**
 * Accepts all open contradictions. If the log itself was contradicted, a new checkpoint signs the stored tree. Returns
 * the accepted contradictions. Throws 409 if the open contradictions or the stored checkpoint have changed since, or if
 * the tree is too damaged to continue.
 */
export async function acceptContradictions(
  tx: Tx,
  { identity, keys, now }: { identity: LogIdentity; keys: KeyRing; now: Date },
  { ids, checkpoint, by, reason }: Decision,
): Promise<{ accepted: ContradictionRow[]; base: string | null }> {
  await lockTree(tx);
  const open = await lockOpen(tx);
  const isSame = open.length === ids.length && open.every(({ id }) => ids.includes(id));
  const head = await readHead(tx);
  if (open.length === 0) throw refuse(409, "audit.nothing-open", "There are no open contradictions.");
  if (!isSame || head.note !== checkpoint) {
    throw refuse(409, "audit.evidence-changed", "The evidence has changed. Read it again.");
  }
  const isStopping = open.some(({ is_stopping }) => is_stopping);
  const base = isStopping ? await settleBase(tx, identity, head, now) : head.note;
  const kek = await keys.kekFor(INTEGRITY_PURPOSE);
  for (const row of open) {
    const decided = { accepted_at: now, accepted_by: by, reason, base_note: base };
    await recordDecision(tx, row.id, {
      ...decided,
      mac: decisionMac(kek, { ...decided, fingerprint: row.fingerprint }),
    });
  }
  return { accepted: open, base };
}

/**
 * The checkpoint over the stored tree: the stored checkpoint if it matches the tree, otherwise a new one. Throws a
 * refusal if the tree is too damaged.
 */
async function settleBase(tx: Tx, identity: LogIdentity, head: Head, now: Date): Promise<string | null> {
  const { origin, signer } = identity;
  await restoreSeed(tx, identity);
  if (head.size === 0) {
    await replaceCheckpoints(tx, null, 0);
    return null;
  }
  const frontier = await frontierOf(tx, head.size);
  if (frontier === null) throw damaged();
  const root = rootHash(frontier);
  const read = head.note === null ? null : verifyCheckpoint(head.note, signer);
  const stored = read?.outcome === "verified" && read.checkpoint.origin === origin ? read.checkpoint : null;
  if (stored !== null && stored.size === head.size && head.signed === head.size) {
    if (!stored.root.equals(root)) throw damaged();
    return head.note;
  }
  // Entries signed by an older checkpoint still exist, or the nodes do not match the leaves.
  if (stored !== null && stored.size < head.size) {
    const proof = await consistencyProof(nodeReader(tx), stored.size, head.size);
    const claim = { earlier: stored.size, size: head.size, earlierRoot: stored.root, root, proof };
    if (!verifyConsistency(claim)) throw damaged();
  }
  const note = signCheckpoint({ origin, size: head.size, root }, signer, now);
  await replaceCheckpoints(tx, { size: head.size, note, signed_at: now }, head.size);
  return note;
}

const damaged = () =>
  refuse(409, "audit.damaged", "The stored tree is damaged and cannot be continued. Restore a backup first.");

function shown(row: ContradictionRow): Contradiction {
  const { id, source, kind, message, leaf_index, is_stopping, known_note, stored_note } = row;
  return {
    id,
    source,
    kind,
    message,
    leaf_index,
    stops_signing: is_stopping,
    known_checkpoint: known_note,
    stored_checkpoint: stored_note,
    found_at: row.found_at.toISOString(),
    accepted_at: row.accepted_at?.toISOString() ?? null,
    accepted_by: row.accepted_by,
    reason: row.reason,
  };
}
