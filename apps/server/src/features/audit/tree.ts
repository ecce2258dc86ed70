// The stored tree as the sequencer continues it: trusted only as far as the newest checkpoint vouches for it.
import { EMPTY_FRONTIER, frontierAt, rootHash, verifyCheckpoint } from "@strongroom/auditlog";
import type { Finding, TreeFrontier } from "@strongroom/auditlog";
import type { Db } from "#kernel/db/database.ts";
import type { LogIdentity } from "./signing-key.ts";
import { MissingNodes, newestCheckpoint, nodeReader, readReach } from "./tree.store.ts";

/** The stored tree isn't what the newest stored checkpoint signed: signing on would sign the damage. */
export class DamagedTree extends Error {
  override name = "DamagedTree";
  readonly finding: Finding;
  constructor(finding: Finding) {
    super(finding.message);
    this.finding = finding;
  }
}

/**
 * The frontier to append to. INVARIANT: what the next checkpoint signs continues what the newest one signed.
 * Rejects with DamagedTree when the stored tree does not.
 */
export async function loadFrontier(db: Db, { signer, origin }: LogIdentity): Promise<TreeFrontier> {
  const { size, signed } = await readReach(db);
  const newest = await newestCheckpoint(db);
  if (newest === undefined && size === 0) return EMPTY_FRONTIER;
  const damaged = (kind: Finding["kind"], message: string) => new DamagedTree({ kind, index: null, message });
  if (newest === undefined) throw damaged("checkpoint", `all checkpoints over the ${size} entries of the log are gone`);
  const read = verifyCheckpoint(newest.note, signer);
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
  return frontier;
}

/** Null when nodes of it are gone. */
export async function frontierOf(db: Db, size: number): Promise<TreeFrontier | null> {
  return frontierAt(nodeReader(db), size).catch((error: unknown) => {
    if (error instanceof MissingNodes) return null;
    throw error;
  });
}
