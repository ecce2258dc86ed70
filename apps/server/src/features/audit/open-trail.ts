// The audit trail for the command line: what an auditor asks for, without a running server.
import type { ReplyOf, listContradictions, readCheckpoint } from "@strongroom/contract";
import type { VerifyReport } from "@strongroom/auditlog";
import type { KeyRing } from "@strongroom/keys";
import type { Clock } from "#kernel/clock.ts";
import type { Database, Tx } from "#kernel/db/database.ts";
import { acceptContradictions, showContradictions } from "./accept-contradictions.ts";
import type { Decision } from "./accept-contradictions.ts";
import { requireCheckpoint, showCheckpoint } from "./audit.ts";
import { writeCompleteExport } from "./export-audit.ts";
import { openCheckpointFile } from "./checkpoint-file.ts";
import { acceptedEntries, findingOf } from "./contradictions.ts";
import { listOpen } from "./contradictions.store.ts";
import { createLogIdentity } from "./signing-key.ts";
import { verifyStored } from "./verify-stored.ts";

export interface Trail {
  /** What an auditor is given; also while what is stored is damaged. */
  verifierKey(): Promise<string>;
  /** The newest checkpoint, checked against the key that signs; `checkpoint` is null before the first. */
  checkpoint(): Promise<ReplyOf<typeof readCheckpoint>>;
  /** Checks all that is stored, also against the newest checkpoint that `folder` holds. */
  verify(folder: string): Promise<VerifyReport>;
  contradictions(): Promise<ReplyOf<typeof listContradictions>>;
  /** Runs in the transaction that records it. Rejects with a refusal as `acceptContradictions` does. */
  accept(tx: Tx, decision: Decision): ReturnType<typeof acceptContradictions>;
  /** A complete export in pieces of text. Rejects with a refusal when nothing is signed yet. */
  exportTrail(): Promise<AsyncIterable<string>>;
}

/** Needs the keys unsealed: rejects with SealedError otherwise. Records nothing; that is the caller's part. */
export function openTrail(parts: { database: Database; keys: KeyRing; clock: Clock }): Trail {
  const { db } = parts.database;
  const openLog = createLogIdentity(parts);
  return {
    verifierKey: async () => (await openLog()).verifierKey,
    async checkpoint() {
      const identity = await openLog();
      const shown = await showCheckpoint(db, identity);
      if (shown.checkpoint !== null) await requireCheckpoint(db, identity);
      return shown;
    },
    verify: async (folder) =>
      verifyStored(db, await openLog(), {
        file: openCheckpointFile(folder),
        others: async () => (await listOpen(db)).map(findingOf),
        acceptedEntries: () => acceptedEntries(db, parts.keys),
      }),
    contradictions: () => showContradictions(db),
    async accept(tx, decision) {
      const identity = await openLog();
      return acceptContradictions(tx, { identity, keys: parts.keys, now: parts.clock.now() }, decision);
    },
    async exportTrail() {
      const identity = await openLog();
      const { newest } = await requireCheckpoint(db, identity);
      return writeCompleteExport(db, identity, newest);
    },
  };
}
