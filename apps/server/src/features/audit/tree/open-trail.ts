// Opens the audit trail for the command line, without a running server.
import type { ReplyOf, listContradictions, readCheckpoint } from "@strongroom/contract";
import type { VerifyReport } from "@strongroom/auditlog";
import type { KeyRing } from "@strongroom/keys";
import type { Clock } from "#kernel/clock.ts";
import type { Database, Tx } from "#kernel/db/database.ts";
import { acceptContradictions, showContradictions } from "../contradictions/accept-contradictions.ts";
import type { Decision } from "../contradictions/accept-contradictions.ts";
import { requireCheckpoint, showCheckpoint } from "../audit.ts";
import { writeCompleteExport } from "../evidence/export-audit.ts";
import { openCheckpointFile } from "./checkpoint-file.ts";
import { acceptedEntries, findingOf } from "../contradictions/contradictions.ts";
import { listOpen } from "../contradictions/contradictions.store.ts";
import { createLogIdentity } from "./signing-key.ts";
import { verifyStored } from "./verify-stored.ts";

export interface Trail {
  /** The key that an auditor needs; also available while stored data is damaged. */
  verifierKey(): Promise<string>;
  /** The newest checkpoint, verified with the signing key; `checkpoint` is null before the first. */
  checkpoint(): Promise<ReplyOf<typeof readCheckpoint>>;
  /** Checks all stored entries, also against the newest checkpoint in `folder`. */
  verify(folder: string): Promise<VerifyReport>;
  contradictions(): Promise<ReplyOf<typeof listContradictions>>;
  /**
   * Accepts contradictions in the transaction that audits the decision. Rejects with a refusal as
   * `acceptContradictions` does.
   */
  accept(tx: Tx, decision: Decision): ReturnType<typeof acceptContradictions>;
  /** A complete export as chunks of text. Rejects with a refusal if no checkpoint exists yet. */
  exportTrail(): Promise<AsyncIterable<string>>;
}

/** Needs unsealed keys: rejects with SealedError otherwise. Writes no audit entries; the caller does. */
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
