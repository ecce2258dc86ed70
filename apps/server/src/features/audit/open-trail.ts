// The audit trail for the command line: what an auditor asks for, without a running server.
import type { ReplyOf, readCheckpoint } from "@strongroom/contract";
import type { VerifyReport } from "@strongroom/auditlog";
import type { KeyRing } from "@strongroom/keys";
import type { Clock } from "#kernel/clock.ts";
import type { Database } from "#kernel/db/database.ts";
import { requireCheckpoint, showCheckpoint } from "./audit.ts";
import { writeCompleteExport } from "./export-audit.ts";
import { openCheckpointFile } from "./checkpoint-file.ts";
import { createLogIdentity } from "./signing-key.ts";
import { verifyStored } from "./verify-stored.ts";

export interface Trail {
  /** What an auditor is given; also while what is stored is damaged. */
  verifierKey(): Promise<string>;
  /** The newest checkpoint, checked against the key that signs; `checkpoint` is null before the first. */
  checkpoint(): Promise<ReplyOf<typeof readCheckpoint>>;
  /** Checks all that is stored, also against the newest checkpoint that `folder` holds. */
  verify(folder: string): Promise<VerifyReport>;
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
    verify: async (folder) => verifyStored(db, await openLog(), openCheckpointFile(folder)),
    async exportTrail() {
      const identity = await openLog();
      const { newest } = await requireCheckpoint(db, identity);
      return writeCompleteExport(db, identity, newest);
    },
  };
}
