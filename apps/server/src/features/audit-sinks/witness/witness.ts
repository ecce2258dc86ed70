// Acts as a witness of other logs: cosigns only checkpoints that extend the previous one, and raises the alarm for a
// fork.
import { cosign, parseVerifierKey } from "@strongroom/auditlog";
import { WitnessedLogId } from "@strongroom/contract";
import type {
  ReplyOf,
  WitnessedLog,
  addCheckpoint,
  addWitnessedLog,
  readWitness,
  removeWitnessedLog,
} from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { PlainAnswer } from "#kernel/http/stream.ts";
import { newId } from "#kernel/id.ts";
import type { AuditSinkContext } from "../context.ts";
import { judge, readSubmission } from "./submission.policy.ts";
import type { Submission } from "./submission.policy.ts";
import { openWitness } from "./witness-key.ts";
import { acceptCheckpoint, insertLog, listLogs, lockLog, recordRefusal, removeLog } from "./witness.store.ts";
import type { WitnessedLogRow } from "./witness.store.ts";

export async function showWitness({ kernel }: AuditSinkContext, db: Db): Promise<ReplyOf<typeof readWitness>> {
  const { witnessKey } = await openWitness(kernel);
  return { witness_key: witnessKey, logs: (await listLogs(db)).map(shownLog) };
}

export async function watchLog(
  context: AuditSinkContext,
  call: Call<typeof addWitnessedLog>,
  tx: Tx,
): Promise<WitnessedLog> {
  const { name, verifier_key } = call.body;
  const verifier = parseVerifierKey(verifier_key);
  if (verifier === null) {
    const msg = "Not a valid log key (name+hash+base64).";
    throw refuse(400, "request.invalid", msg, { errors: [{ path: "verifier_key", msg }] });
  }
  const created_at = context.kernel.clock.now();
  const row = await insertLog(tx, { id: newId(), name, origin: verifier.name, verifier_key, created_at });
  if (row === null) throw refuse(409, "audit-witness.log-known", "This log is already watched.");
  call.note({ target: logTarget(row), details: { origin: row.origin } });
  return shownLog(row);
}

export async function forgetLog(call: Call<typeof removeWitnessedLog>, tx: Tx): Promise<{ message: string }> {
  const row = await removeLog(tx, call.params.id);
  if (row === null) throw refuse(404, "audit-witness.log-not-found", "Log not found");
  // The last checkpoint stays on record.
  call.note({ target: logTarget(row), details: { origin: row.origin, size: row.size, checkpoint: row.note } });
  return { message: "Log removed" };
}

/** Replies with the statuses of C2SP tlog-witness. */
export async function takeCheckpoint(
  context: AuditSinkContext,
  call: Call<typeof addCheckpoint>,
): Promise<PlainAnswer> {
  const submission = readSubmission(call.body);
  if (submission === null) return answer(400, "Not a valid checkpoint submission.\n");
  const { signer } = await openWitness(context.kernel);
  return context.kernel.database.transaction(async (tx) => {
    const log = await lockLog(tx, submission.checkpoint.origin);
    if (log === undefined) return answer(404, "This log is not watched.\n");
    const judgement = judge(submission, log);
    const at = context.kernel.clock.now();
    switch (judgement.verdict) {
      case "extends":
        await acceptCheckpoint(tx, log.id, { size: submission.checkpoint.size, note: submission.note, at });
        return answer(200, cosign(submission.note, signer, at) ?? "");
      case "wrong-size":
        return { status: 409, type: "text/x.tlog.size", text: `${judgement.seen}\n` };
      case "contradicts":
        await raiseAlarm(context, tx, log, submission, judgement.reason);
        return answer(judgement.status, `${judgement.reason}\n`);
      case "not-signed":
        return answer(403, "The checkpoint is not signed by the key of this log.\n");
      case "malformed":
        return answer(400, "The checkpoint is older than the one it claims to extend.\n");
    }
  });
}

const answer = (status: number, text: string): PlainAnswer => ({ status, type: "text/plain; charset=utf-8", text });

/** Raises no second alarm for the same contradiction. */
async function raiseAlarm(
  { kernel, notify }: AuditSinkContext,
  tx: Tx,
  log: WitnessedLogRow,
  { note, checkpoint }: Submission,
  reason: string,
): Promise<void> {
  if (log.refused_note === note) return;
  const isFirst = log.refused_note === null;
  const at = kernel.clock.now();
  await recordRefusal(tx, log.id, { note, reason, at });
  const details = { origin: log.origin, cosigned: log.size, refused: checkpoint.size, checkpoint: note };
  const said = { target: logTarget(log), result: "failure", reason, details } as const;
  await appendAudit(tx, [systemEntry("audit-witness.fork-refused", "audit", said, at)]);
  kernel.log.error({ origin: log.origin, said: reason }, "a watched audit log contradicts its cosigned checkpoint");
  if (!isFirst) return;
  await notify(tx, {
    to: { users: [], roles: ["admin"] },
    type: "critical_failure",
    title: "A watched audit log was rewritten",
    message: `${log.name}: ${reason}`,
    severity: "critical",
    actionRequired: true,
    metadata: { origin: log.origin },
    link: "/integrations",
    dedupeKey: log.id,
  });
}

const logTarget = ({ id, name }: WitnessedLogRow) => ({ type: "witnessed-log", id, name });

function shownLog(row: WitnessedLogRow): WitnessedLog {
  const { name, origin, verifier_key, size, note, refused_note, refused_reason, refused_at } = row;
  const isContradicted = refused_note !== null && refused_reason !== null && refused_at !== null;
  return {
    id: WitnessedLogId.parse(row.id),
    name,
    origin,
    verifier_key,
    size,
    checkpoint: note,
    cosigned_at: row.cosigned_at?.toISOString() ?? null,
    contradiction: isContradicted
      ? { checkpoint: refused_note, message: refused_reason, at: refused_at.toISOString() }
      : null,
  };
}
