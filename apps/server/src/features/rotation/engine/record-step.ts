// Writes the audit entries, events and notifications of a rotation step.
import type { Rotation } from "@strongroom/contract";
import type { AuditEntry } from "@strongroom/auditlog";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { destinationOf, ownerOf } from "#features/verification/index.ts";
import type { RotationTask } from "./advance.ts";
import { countEnded } from "../runs/count-ended.ts";
import { notifyPeople } from "../notify-people.ts";
import { changed, targetIn } from "../rotation.ts";
import type { RotationRow } from "../rotation.store.ts";
import type { Results } from "./store-results.ts";
import type { RotationContext } from "../context.ts";

const entry = (event: string, note: AuditNote, at: Date) => systemEntry(event, "rotation", note, at);

const askedBy = ({ asked_by }: RotationRow): Record<string, string> =>
  asked_by === null ? {} : { asked_by: asked_by.name };

interface Use {
  /** Earlier versions compared with a new password: opened in this process and sent nowhere. */
  compared: readonly number[];
  task: RotationTask | null;
}

/** INVARIANT: a secret is opened for its target only after this transaction has committed. */
export async function recordUse(tx: Tx, row: RotationRow, { compared, task }: Use, at: Date): Promise<void> {
  const used = (details: NonNullable<AuditNote["details"]>): AuditEntry =>
    entry("rotation.secret-used", { target: targetIn(row), result: "info", details }, at);
  const why = { rotation: row.id, ...askedBy(row) };
  const entries = compared.length === 0 ? [] : [used({ for: "compare", ...why, versions: [...compared] })];
  if (task !== null) {
    entries.push(used({ for: task.do, ...why, host: destinationOf(task.credential), ...versionsOf(task) }));
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
      // The login that proves an accepted change follows at once, without a separate entry.
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
export async function publishStep(
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
