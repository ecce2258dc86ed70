// The use cases of the audit trail: list it, show what happened to one thing, hand it out, check it.
import type {
  AuditLogEntry,
  ReplyOf,
  exportEvidence,
  listAuditEntries,
  readCheckpoint,
  verifyAudit,
} from "@strongroom/contract";
import { verifyCheckpoint } from "@strongroom/auditlog";
import type { VerifyReport } from "@strongroom/auditlog";
import { Readable } from "node:stream";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Download } from "#kernel/http/stream.ts";
import { actorIdsOf, toLogEntry } from "./audit-words.ts";
import { countPending, findEntries, findEntry } from "./audit.store.ts";
import type { EntryFilter, FoundEntry } from "./audit.store.ts";
import { writeCompleteExport, writeEvidence } from "./export-audit.ts";
import type { LogIdentity } from "./signing-key.ts";
import { newestCheckpoint } from "./tree.store.ts";
import type { StoredCheckpoint } from "./tree.store.ts";

/** The addresses of those people who still exist, by their ids. */
export type EmailsOf = (db: Db, userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface HistoryPage {
  limit: number;
  cursor?: string | undefined;
  /** Events to leave out, such as `verification.started`. */
  without?: readonly string[];
}

export async function listTrail(call: Call<typeof listAuditEntries>, db: Db, emailsOf: EmailsOf) {
  const { limit, cursor, event, result, actor_id, target_id, from, to } = call.query;
  const filter: EntryFilter = {
    event,
    result,
    actorId: actor_id,
    target: target_id === undefined ? undefined : { id: target_id },
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
  const { entries, next_cursor } = await readPage(db, filter, { limit, cursor }, emailsOf);
  return { logs: entries, next_cursor };
}

/** What happened to one thing, newest first. The caller has decided that it may be seen. */
export async function historyOf(db: Db, target: { type: string; id: string }, page: HistoryPage, emailsOf: EmailsOf) {
  const { entries, next_cursor } = await readPage(db, { target, without: page.without }, page, emailsOf);
  return { history: entries, next_cursor };
}

async function readPage(
  db: Db,
  filter: EntryFilter,
  { limit, cursor }: HistoryPage,
  emailsOf: EmailsOf,
): Promise<{ entries: AuditLogEntry[]; next_cursor: string | null }> {
  const before = cursor === undefined ? null : readCursor(cursor);
  const found = await findEntries(db, filter, { limit: limit + 1, before });
  const shown = found.slice(0, limit);
  const emails = await emailsOf(db, actorIdsOf(shown));
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    entries: shown.map((entry) => toLogEntry(entry, emails)),
    next_cursor: last === undefined ? null : writeCursor(last),
  };
}

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
  const newest = await requireCheckpoint(db, identity);
  const body = Readable.from(writeCompleteExport(db, identity, newest), { objectMode: false });
  return { body, fileName: `strongroom-audit-${now.toISOString().slice(0, 10)}.jsonl` };
}

/** Throws 404 for an entry that isn't there, 409 for one that waits for its place in the tree. */
export async function exportProof(call: Call<typeof exportEvidence>, db: Db, identity: LogIdentity): Promise<Download> {
  const { id } = call.params;
  const found = await findEntry(db, id);
  if (found === undefined) throw refuse(404, "audit.not-found", "Audit entry not found");
  const newest = await requireCheckpoint(db, identity);
  const { canonical, leaf_index: index, leaf_hash: leafHash } = found;
  if (index === null || leafHash === null || index >= newest.size) throw notYet();
  call.note({ target: { type: "audit-entry", id } });
  const text = await writeEvidence(db, identity, newest, { index, canonical, leafHash });
  return { body: Readable.from([text], { objectMode: false }), fileName: `strongroom-evidence-${id}.jsonl` };
}

export function reportOf(report: VerifyReport, newest: StoredCheckpoint | undefined): ReplyOf<typeof verifyAudit> {
  return {
    is_intact: report.isIntact,
    checked: report.entries,
    findings: report.findings.map(({ kind, index, message }) => ({ kind, leaf_index: index, message })),
    checkpoint: newest?.note ?? null,
  };
}

/** The newest checkpoint, if it is one that the verifier will accept; else throws the refusal that says why. */
export async function requireCheckpoint(db: Db, { signer }: LogIdentity): Promise<StoredCheckpoint> {
  const newest = await newestCheckpoint(db);
  if (newest === undefined) throw notYet();
  const { outcome } = verifyCheckpoint(newest.note, signer);
  if (outcome === "verified") return newest;
  throw refuse(
    409,
    "audit.damaged",
    "The newest checkpoint is not signed with this log's key. Verify the audit trail.",
  );
}

const notYet = () =>
  refuse(409, "audit.not-proven-yet", "This is on record but not proven yet. Try again in a second.", {
    retryAfter: 1,
  });

const writeCursor = ({ id }: FoundEntry): string => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");

/** The id in a cursor. Throws a refusal for anything that `writeCursor` did not write. */
function readCursor(cursor: string): string {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length !== 16 || bytes.toString("base64url") !== cursor) {
    throw refuse(400, "cursor.invalid", "This is not a page that we handed out.");
  }
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
