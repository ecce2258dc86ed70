// Puts a turn of a rotation on record, and tells those whom it concerns.
import type { Rotation } from "@strongroom/contract";
import type { AuditEntry } from "@strongroom/auditlog";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { destinationOf, ownerOf } from "#features/verification/index.ts";
import type { Errand } from "./advance.ts";
import { countEnded } from "./count-ended.ts";
import { tellPeople } from "./tell-people.ts";
import { changed, targetIn } from "./rotation.ts";
import type { RotationRow } from "./rotation.store.ts";
import type { Results } from "./store-results.ts";
import type { Site } from "./site.ts";

const entry = (event: string, note: AuditNote, at: Date) => systemEntry(event, "rotation", note, at);

const askedBy = ({ asked_by }: RotationRow): Record<string, string> =>
  asked_by === null ? {} : { asked_by: asked_by.name };

interface Use {
  /** The earlier versions that a new password was compared with: opened here, and sent nowhere. */
  compared: readonly number[];
  errand: Errand | null;
}

/** INVARIANT: a secret is opened for its system only after this has committed. */
export async function recordUse(tx: Tx, row: RotationRow, { compared, errand }: Use, at: Date): Promise<void> {
  const used = (details: NonNullable<AuditNote["details"]>): AuditEntry =>
    entry("rotation.secret-used", { target: targetIn(row), result: "info", details }, at);
  const why = { rotation: row.id, ...askedBy(row) };
  const entries = compared.length === 0 ? [] : [used({ for: "compare", ...why, versions: [...compared] })];
  if (errand !== null) {
    entries.push(used({ for: errand.do, ...why, host: destinationOf(errand.credential), ...versionsOf(errand) }));
  }
  if (errand?.do === "send" && errand.by === "reconcile-account") {
    const { id, name, version } = errand.reconciler;
    const target = { type: "account", id, name };
    const reconciles = { rotation: row.id, reconciles: row.credential_name, version, ...askedBy(row) };
    entries.push(entry("rotation.secret-used", { target, result: "info", details: reconciles }, at));
  }
  if (entries.length > 0) await appendAudit(tx, entries);
}

function versionsOf(errand: Errand): Record<string, number> {
  switch (errand.do) {
    case "send":
      // The login that proves an accepted change follows at once, and has no entry of its own.
      return {
        candidate: errand.candidate.version,
        proof: errand.candidate.version,
        ...(errand.by === "account" ? { version: errand.current.version } : {}),
      };
    case "probe":
      return { version: errand.secret.version };
    case "retire":
      return { version: errand.current.version, retired: errand.retired.version };
    case "make-key":
    case "issue":
      return { version: errand.current.version };
  }
}

/** What follows for people from the rotation's new state. */
export async function publishTurn(site: Site, tx: Tx, results: Results & { isReleased: boolean }): Promise<void> {
  const { before, row, turn, at, isReleased } = results;
  const state = stateAfter(row, isReleased);
  const isFirst = before.lease_token !== row.lease_token || before.step === "planned";
  const isPromoted = turn.proof !== null;
  if (isReleased || isFirst || isPromoted) {
    const { audience } = await ownerOf(site, tx, row);
    const events: NewEvent[] = [changed(row, state, row.message, audience)];
    if (isReleased && (isPromoted || state === "rotated" || turn.logins.length > 0))
      events.push(secretChanged(row, audience));
    await site.kernel.events.publish(tx, ...events);
  }
  if (isPromoted) await recordPromotion(tx, results);
  if (row.needs_attention && !before.needs_attention) {
    const details = { rotation: row.id, message: row.message, because: row.because, ...askedBy(row) };
    const note: AuditNote = { target: targetIn(row), result: "failure", reason: row.code ?? "", details };
    await appendAudit(tx, [entry("rotation.stopped", note, at)]);
  }
  if (row.outcome === null && !row.needs_attention) return;
  await countEnded(site, tx, row, at);
  await tellPeople(site, tx, row);
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

async function recordPromotion(tx: Tx, { row, turn, at }: Results): Promise<void> {
  const { by, old } = row.journal;
  const details = { rotation: row.id, version: turn.proof!.version, replaced: old, by, because: row.because };
  const event = row.user_id === null ? "account.rotated" : "credential.rotated";
  await appendAudit(tx, [entry(event, { target: targetIn(row), details: { ...details, ...askedBy(row) } }, at)]);
}
