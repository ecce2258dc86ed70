// Stores the results of a rotation step: each login as an attempt, the verification status and a proved new version.
import type { Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import { bindActive, forgetMismatch, keyOfOwner, updateSecret } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { changesAfter, destinationOf, insertEndedAttempts, ownerOf } from "#features/verification/index.ts";
import { promoteVersion } from "../rotation.store.ts";
import type { RotationRow } from "../rotation.store.ts";
import type { RotationContext } from "../context.ts";
import { connectorOf } from "./step.ts";
import type { LoginRecord, StepResult } from "./step.ts";

export interface Results {
  /** The row before and after this step. */
  before: RotationRow;
  row: RotationRow;
  stepResult: StepResult;
  credential: SecretRow | null;
  at: Date;
}

/** The caller has locked the credential and written the rotation. */
export async function storeResults(context: RotationContext, tx: Tx, results: Results): Promise<void> {
  const { row, stepResult, credential, at } = results;
  if (credential === null) return;
  if (stepResult.logins.length > 0) {
    const attempts = stepResult.logins.map((login) => attemptOf(row, credential, login, stepResult.proof, at));
    await insertEndedAttempts(tx, attempts);
  }
  if (stepResult.proof !== null) return promote(context, tx, credential, results, stepResult.proof);
  const latest = stepResult.logins.findLast(({ version }) => version === credential.secret_version);
  if (latest === undefined) return;
  const { verifyEveryMs } = await ownerOf(context, tx, row);
  await updateSecret(tx, credential.id, changesAfter(credential, latest.result, at, verifyEveryMs));
}

/** INVARIANT: a version becomes active only after a fresh login with it. */
async function promote(
  context: RotationContext,
  tx: Tx,
  credential: SecretRow,
  { row, stepResult, at }: Results,
  proof: LoginRecord,
): Promise<void> {
  const { isNew } = stepResult;
  const { id, login_revision } = credential;
  const reason = row.journal.by === "account" ? "rotated" : "reconciled";
  const { verifyEveryMs } = await ownerOf(context, tx, row);
  const renewed = { ...credential, login_revision: login_revision + 1, rejected_revision: null };
  const kek = await context.kernel.keys.kekFor(keyOfOwner(credential));
  await Promise.all([
    promoteVersion(tx, { id, version: proof.version, reason, isNew, at }),
    updateSecret(tx, id, {
      ...changesAfter(renewed, proof.result, at, verifyEveryMs),
      ...bindActive(kek, id, proof.version, credential),
      login_revision: renewed.login_revision,
      updated_at: at,
    }),
    forgetMismatch(tx, id),
  ]);
}

/** An attempt with a version that is not active is marked as outdated when it is written. */
function attemptOf(row: RotationRow, credential: SecretRow, login: LoginRecord, proof: LoginRecord | null, at: Date) {
  const { result, startedAt, version } = login;
  const inForce = proof?.version ?? credential.secret_version;
  return {
    id: newId(startedAt.getTime()),
    credential_id: credential.id,
    user_id: credential.user_id,
    revision: credential.login_revision + (proof === null ? 0 : 1),
    trigger: "rotation" as const,
    run_id: null,
    triggered_by: row.asked_by?.name ?? "Strongroom",
    credential_name: credential.name,
    type: credential.type,
    host: destinationOf(credential),
    username: credential.username,
    method: connectorOf(credential).id,
    started_at: startedAt,
    finished_at: at,
    outcome: result.outcome,
    code: result.code,
    message: result.message,
    duration_ms: result.durationMs,
    is_outdated: version !== inForce,
  };
}
