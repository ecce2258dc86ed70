// Writes what a rotation step did: its journal, login attempts, an activated secret, audit entries, events and notifications.
import type { AuditEntry } from "@strongroom/auditlog";
import type { Rotation } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { newId } from "#kernel/id.ts";
import { bindActive, forgetMismatch, keyOfOwner, updateSecret } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import {
  changesAfter,
  connectorOf,
  destinationOf,
  insertEndedAttempts,
  ownerOf,
} from "#features/verification/index.ts";
import type { RotationContext } from "../context.ts";
import { notifyPeople } from "../notify-people.ts";
import { ATTENTION } from "../rotation-labels.ts";
import type { RotationRow } from "../rotation.store.ts";
import { changed, targetIn } from "../rotation.ts";
import { countEnded } from "../runs/count-ended.ts";
import { promoteVersion, writeJournal } from "./engine.store.ts";
import type { RotationSnapshot } from "./engine.store.ts";
import type { AdvanceResult, LoginRecord, RotationTask, StepResult } from "./step.ts";

export const LEASE_LOST = new Error("lost the lease of a rotation");

interface Step {
  row: RotationRow;
  stepResult: StepResult;
  snapshot: RotationSnapshot;
  task: RotationTask | null;
  at: Date;
}

/** Writes the journal first, because that checks the lease. Throws LEASE_LOST when another worker has it. */
export async function saveStep(
  context: RotationContext,
  tx: Tx,
  { row, stepResult, snapshot, task, at }: Step,
): Promise<AdvanceResult> {
  const ending = endingOf(stepResult, snapshot, row);
  if (ending.line !== null) stepResult.lines.push({ at, step: "ended", message: ending.line });
  const isOver = task === null;
  const release = isOver ? { afterMs: stepResult.journal.step === "ended" ? null : stepResult.pauseMs } : null;
  const message = ending.line ?? messageOf(stepResult, snapshot, row);
  const { attention } = stepResult.journal;
  const { id, lease_token } = row;
  const mine = await writeJournal(tx, {
    id,
    token: lease_token!,
    journal: stepResult.journal,
    kind: stepResult.kind,
    lines: stepResult.lines,
    message,
    code: attention,
    outcome: ending.outcome,
    release,
    at,
  });
  if (!mine) throw LEASE_LOST;
  const written: RotationRow = {
    ...row,
    journal: stepResult.journal,
    step: stepResult.journal.step,
    kind: stepResult.kind,
    message,
    code: attention,
    outcome: ending.outcome,
    needs_attention: attention !== null,
    tries: stepResult.journal.tries,
  };
  const result = { before: row, row: written, stepResult, secretRow: snapshot.secretRow, at };
  await recordUse(tx, written, { compared: stepResult.compared, task }, at);
  await storeResults(context, tx, result);
  await publishStep(context, tx, { ...result, isReleased: isOver });
  return { row: written, task };
}

const RUN_STOPPED = "The run was stopped. Nothing was changed.";
const INACTIVE = "The account, its platform or its safe is no longer active. Nothing was changed.";

interface Ending {
  outcome: RotationRow["outcome"];
  line: string | null;
}

function endingOf(stepResult: StepResult, snapshot: RotationSnapshot, row: RotationRow): Ending {
  if (snapshot.secretRow === null) {
    stepResult.journal = { ...stepResult.journal, step: "ended" };
    return { outcome: "superseded", line: `"${row.credential_name}" was deleted.` };
  }
  if (stepResult.isCancelled) return { outcome: "cancelled", line: snapshot.is_active ? RUN_STOPPED : INACTIVE };
  return { outcome: stepResult.journal.step === "ended" ? "rotated" : null, line: null };
}

const HELD_BACK =
  "The target refused the platform's reconcile account. Store its correct secret and verify it to continue.";

function messageOf(
  { journal, lines, ...stepResult }: StepResult,
  { reconciler }: RotationSnapshot,
  row: RotationRow,
): string {
  const { attention } = journal;
  const detail = stepResult.detail ?? (reconciler?.is_refused === true ? HELD_BACK : null);
  if (attention === null) return lines.at(-1)?.message ?? row.message;
  const general = attention in ATTENTION ? ATTENTION[attention as keyof typeof ATTENTION] : "";
  return detail === null ? general : `${general} ${detail}`;
}

interface Results {
  /** The row before and after this step. */
  before: RotationRow;
  row: RotationRow;
  stepResult: StepResult;
  secretRow: SecretRow | null;
  at: Date;
}

/** The caller must have locked the secret and written the rotation. */
async function storeResults(context: RotationContext, tx: Tx, results: Results): Promise<void> {
  const { row, stepResult, secretRow, at } = results;
  if (secretRow === null) return;
  if (stepResult.logins.length > 0) {
    const attempts = stepResult.logins.map((login) => attemptOf(row, secretRow, login, stepResult.proof, at));
    await insertEndedAttempts(tx, attempts);
  }
  if (stepResult.proof !== null) return promote(context, tx, secretRow, results, stepResult.proof);
  const latest = stepResult.logins.findLast(({ version }) => version === secretRow.secret_version);
  if (latest === undefined) return;
  const { verifyEveryMs } = await ownerOf(context, tx, row);
  await updateSecret(tx, secretRow.id, changesAfter(secretRow, latest.result, at, verifyEveryMs));
}

/** INVARIANT: a version becomes active only after a fresh login with it. */
async function promote(
  context: RotationContext,
  tx: Tx,
  secretRow: SecretRow,
  { row, stepResult, at }: Results,
  proof: LoginRecord,
): Promise<void> {
  const { isNew } = stepResult;
  const { id, login_revision } = secretRow;
  const reason = row.journal.by === "account" ? "rotated" : "reconciled";
  const { verifyEveryMs } = await ownerOf(context, tx, row);
  const renewed = { ...secretRow, login_revision: login_revision + 1, rejected_revision: null };
  const kek = await context.kernel.keys.kekFor(keyOfOwner(secretRow));
  await Promise.all([
    promoteVersion(tx, { id, version: proof.version, reason, isNew, at }),
    updateSecret(tx, id, {
      ...changesAfter(renewed, proof.result, at, verifyEveryMs),
      ...bindActive(kek, id, proof.version, secretRow),
      login_revision: renewed.login_revision,
      updated_at: at,
    }),
    forgetMismatch(tx, id),
  ]);
}

/** An attempt with a version that is not active is marked as outdated when it is written. */
function attemptOf(row: RotationRow, secretRow: SecretRow, login: LoginRecord, proof: LoginRecord | null, at: Date) {
  const { result, startedAt, version } = login;
  const activeVersion = proof?.version ?? secretRow.secret_version;
  return {
    id: newId(startedAt.getTime()),
    credential_id: secretRow.id,
    user_id: secretRow.user_id,
    revision: secretRow.login_revision + (proof === null ? 0 : 1),
    trigger: "rotation" as const,
    run_id: null,
    triggered_by: row.asked_by?.name ?? "Strongroom",
    credential_name: secretRow.name,
    type: secretRow.type,
    host: destinationOf(secretRow),
    username: secretRow.username,
    method: connectorOf(secretRow).id,
    started_at: startedAt,
    finished_at: at,
    outcome: result.outcome,
    code: result.code,
    message: result.message,
    duration_ms: result.durationMs,
    is_outdated: version !== activeVersion,
  };
}

const entry = (event: string, note: AuditNote, at: Date) => systemEntry(event, "rotation", note, at);

const askedBy = ({ asked_by }: RotationRow): Record<string, string> =>
  asked_by === null ? {} : { asked_by: asked_by.name };

interface Use {
  /** Earlier versions compared with a new password: opened in this process and sent nowhere. */
  compared: readonly number[];
  task: RotationTask | null;
}

/** INVARIANT: a secret is opened for its target only after this transaction has committed. */
async function recordUse(tx: Tx, row: RotationRow, { compared, task }: Use, at: Date): Promise<void> {
  const used = (details: NonNullable<AuditNote["details"]>): AuditEntry =>
    entry("rotation.secret-used", { target: targetIn(row), result: "info", details }, at);
  const why = { rotation: row.id, ...askedBy(row) };
  const entries = compared.length === 0 ? [] : [used({ for: "compare", ...why, versions: [...compared] })];
  if (task !== null) {
    entries.push(used({ for: task.do, ...why, host: destinationOf(task.secretRow), ...versionsOf(task) }));
  }
  if (task?.do === "send" && task.by === "reconcile-account") {
    const { id, name, version } = task.reconciler;
    const target = { type: "account", id, name };
    const reconciles = { rotation: row.id, reconciles: row.credential_name, version, ...askedBy(row) };
    entries.push(entry("rotation.secret-used", { target, result: "info", details: reconciles }, at));
  }
  if (entries.length > 0) await appendAudit(tx, entries);
}

function versionsOf(task: RotationTask): Record<string, number> {
  switch (task.do) {
    case "send":
      // The login that verifies an accepted change follows immediately, without a separate audit entry.
      return {
        candidate: task.candidate.version,
        proof: task.candidate.version,
        ...(task.by === "account" ? { version: task.current.version } : {}),
      };
    case "probe":
      return { version: task.secret.version };
    case "retire":
      return { version: task.current.version, retired: task.retired.version };
    case "make-key":
    case "issue":
      return { version: task.current.version };
  }
}

/** Publishes events and notifies users of the rotation's new state. */
async function publishStep(
  context: RotationContext,
  tx: Tx,
  results: Results & { isReleased: boolean },
): Promise<void> {
  const { before, row, stepResult, at, isReleased } = results;
  const state = stateAfter(row, isReleased);
  const isFirst = before.lease_token !== row.lease_token || before.step === "planned";
  const isPromoted = stepResult.proof !== null;
  if (isReleased || isFirst || isPromoted) {
    const { audience } = await ownerOf(context, tx, row);
    const events: NewEvent[] = [changed(row, state, row.message, audience)];
    if (isReleased && (isPromoted || state === "rotated" || stepResult.logins.length > 0))
      events.push(secretChanged(row, audience));
    await context.kernel.events.publish(tx, ...events);
  }
  if (isPromoted) await recordPromotion(tx, results);
  if (row.needs_attention && !before.needs_attention) {
    const details = { rotation: row.id, message: row.message, because: row.because, ...askedBy(row) };
    const note: AuditNote = { target: targetIn(row), result: "failure", reason: row.code ?? "", details };
    await appendAudit(tx, [entry("rotation.stopped", note, at)]);
  }
  if (row.outcome === null && !row.needs_attention) return;
  await countEnded(context, tx, row, at);
  await context.settled(tx, { id: row.id, credentialId: row.credential_id });
  await notifyPeople(context, tx, row);
}

function stateAfter(row: RotationRow, isReleased: boolean): Rotation["state"] {
  if (row.outcome !== null) return row.outcome;
  if (row.needs_attention) return "attention";
  return isReleased ? "waiting" : "running";
}

const secretChanged = (row: RotationRow, audience: NewEvent["audience"]): NewEvent =>
  row.user_id === null
    ? { type: "account.changed", audience, data: { account_id: row.credential_id } }
    : { type: "credential.changed", audience, data: { credential_id: row.credential_id } };

async function recordPromotion(tx: Tx, { row, stepResult, at }: Results): Promise<void> {
  const { by, old } = row.journal;
  const details = { rotation: row.id, version: stepResult.proof!.version, replaced: old, by, because: row.because };
  const event = row.user_id === null ? "account.rotated" : "credential.rotated";
  await appendAudit(tx, [entry(event, { target: targetIn(row), details: { ...details, ...askedBy(row) } }, at)]);
}
