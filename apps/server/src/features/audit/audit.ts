// Use cases of the audit trail: show a target's history, prove an entry, export evidence, verify the trail.
import type { ReplyOf, exportEvidence, readCheckpoint, readInclusionProof, verifyAudit } from "@strongroom/contract";
import { inclusionProof, verifyCheckpoint } from "@strongroom/auditlog";
import type { Checkpoint, VerifyReport } from "@strongroom/auditlog";
import { Readable } from "node:stream";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Download } from "#kernel/http/stream.ts";
import { actorIdsOf, toLogEntry } from "./audit-labels.ts";
import { countPending, findEntry, findHistory } from "./audit.store.ts";
import type { FoundEntry } from "./audit.store.ts";
import { inPieces, writeCompleteExport, writeEvidenceLines } from "./evidence/export-audit.ts";
import type { LogIdentity } from "./tree/signing-key.ts";
import { newestCheckpoint, nodeReader } from "./tree/tree.store.ts";
import type { StoredCheckpoint } from "./tree/tree.store.ts";

/** Maps the ids of existing users to their addresses. */
export type EmailsOf = (db: Db, userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface HistoryPage {
  limit: number;
  cursor?: string | undefined;
  /** Events to exclude, such as `verification.started`. */
  without?: readonly string[];
}

/** The history of one target, newest first. The caller has checked that the user may see it. */
export async function historyOf(db: Db, target: { type: string; id: string }, page: HistoryPage, emailsOf: EmailsOf) {
  const { limit, cursor, without = [] } = page;
  const found = await findHistory(db, target, { limit: limit + 1, before: placeBefore(cursor), without });
  const { shown, next_cursor } = pageOf(found, limit);
  const emails = await emailsOf(db, actorIdsOf(shown));
  return { history: shown.map((entry) => toLogEntry(entry, emails)), next_cursor };
}

/** Splits `limit + 1` entries into a page and the cursor of the next page; the cursor is null on the last page. */
export function pageOf(found: FoundEntry[], limit: number): { shown: FoundEntry[]; next_cursor: string | null } {
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return { shown, next_cursor: last === undefined ? null : writeCursor(last) };
}

/**
 * The `seq` of the entry before which a page begins; null for the first page. Throws a refusal for an invalid cursor.
 */
export const placeBefore = (cursor: string | undefined): number | null =>
  cursor === undefined ? null : readCursor(cursor);

export async function showCheckpoint(db: Db, { verifierKey }: LogIdentity): Promise<ReplyOf<typeof readCheckpoint>> {
  const newest = await newestCheckpoint(db);
  return {
    checkpoint: newest?.note ?? null,
    size: newest?.size ?? 0,
    signed_at: newest?.signed_at.toISOString() ?? null,
    pending: await countPending(db),
    verifier_key: verifierKey,
  };
}

export async function exportTrail(db: Db, identity: LogIdentity, now: Date): Promise<Download> {
  const { newest } = await requireCheckpoint(db, identity);
  const body = Readable.from(writeCompleteExport(db, identity, newest), { objectMode: false });
  return { body, fileName: `strongroom-audit-${now.toISOString().slice(0, 10)}.jsonl` };
}

/** Throws 404 for a missing entry and 409 for a pending one. */
export async function exportProof(call: Call<typeof exportEvidence>, db: Db, identity: LogIdentity): Promise<Download> {
  const { id } = call.params;
  const { leaf, newest } = await requirePlaced(db, id, identity);
  call.note({ target: { type: "audit-entry", id } });
  const lines = inPieces(writeEvidenceLines(db, identity, newest, { leaves: [leaf] }));
  return { body: Readable.from(lines, { objectMode: false }), fileName: `strongroom-evidence-${id}.jsonl` };
}

/** Like `exportProof`, for display. Throws the same refusals. */
export async function showProof(
  call: Call<typeof readInclusionProof>,
  db: Db,
  identity: LogIdentity,
): Promise<ReplyOf<typeof readInclusionProof>> {
  const { leaf, newest, checkpoint } = await requirePlaced(db, call.params.id, identity);
  const hashes = await inclusionProof(nodeReader(db), leaf.index, newest.size);
  return {
    leaf_index: leaf.index,
    leaf_hash: leaf.leafHash.toString("base64"),
    tree_size: newest.size,
    root_hash: checkpoint.root.toString("base64"),
    hashes: hashes.map((hash) => hash.toString("base64")),
    checkpoint: newest.note,
    signed_at: newest.signed_at.toISOString(),
  };
}

async function requirePlaced(db: Db, id: string, identity: LogIdentity) {
  const found = await findEntry(db, id);
  if (found === undefined) throw refuse(404, "audit.not-found", "Audit entry not found");
  const { newest, checkpoint } = await requireCheckpoint(db, identity);
  const { canonical, leaf_index: index, leaf_hash: leafHash } = found;
  if (index === null || leafHash === null || index >= newest.size) throw notYet();
  return { leaf: { index, canonical, leafHash }, newest, checkpoint };
}

export function reportOf(report: VerifyReport, newest: StoredCheckpoint | undefined): ReplyOf<typeof verifyAudit> {
  return {
    is_intact: report.isIntact,
    checked: report.entries,
    findings: report.findings.map(({ kind, index, message }) => ({ kind, leaf_index: index, message })),
    checkpoint: newest?.note ?? null,
  };
}

/** The newest checkpoint. Throws a refusal with the reason if the verifier would not accept it. */
export async function requireCheckpoint(
  db: Db,
  { signer }: LogIdentity,
): Promise<{ newest: StoredCheckpoint; checkpoint: Checkpoint }> {
  const newest = await newestCheckpoint(db);
  if (newest === undefined) throw notYet();
  const read = verifyCheckpoint(newest.note, signer);
  if (read.outcome === "verified") return { newest, checkpoint: read.checkpoint };
  throw refuse(
    409,
    "audit.damaged",
    "The newest checkpoint is not signed with this log's key. Verify the audit trail.",
  );
}

export const notYet = () =>
  refuse(409, "audit.not-proven-yet", "The proof is not available yet. Try again in a second.", {
    retryAfter: 1,
  });

const writeCursor = ({ seq }: FoundEntry): string => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(seq));
  return bytes.toString("base64url");
};

/** The `seq` in a cursor. Throws a refusal for anything that `writeCursor` did not write. */
function readCursor(cursor: string): number {
  const bytes = Buffer.from(cursor, "base64url");
  const seq = bytes.length === 8 ? Number(bytes.readBigUInt64BE()) : Number.NaN;
  if (Number.isSafeInteger(seq) && bytes.toString("base64url") === cursor) return seq;
  throw refuse(400, "cursor.invalid", "This page no longer exists. Start again at the first page.");
}
