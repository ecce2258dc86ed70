// What a rotation learnt: each login as an attempt, what they say of the secret in force, and a new one that was proved.
import type { Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import { updateCredential } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { changesAfter, destinationOf, insertEndedAttempts, ownerOf } from "#features/verification/index.ts";
import { promoteVersion } from "./rotation.store.ts";
import type { RotationRow } from "./rotation.store.ts";
import type { Site } from "./site.ts";
import { connectorOf } from "./turn.ts";
import type { Login, Turn } from "./turn.ts";

export interface Results {
  /** As it was before this turn, and as it is now. */
  before: RotationRow;
  row: RotationRow;
  turn: Turn;
  credential: CredentialRow | null;
  at: Date;
}

/** The credential is held, and the rotation is written. */
export async function storeResults(site: Site, tx: Tx, results: Results): Promise<void> {
  const { row, turn, credential, at } = results;
  if (credential === null) return;
  if (turn.logins.length > 0) {
    const attempts = turn.logins.map((login) => attemptOf(row, credential, login, turn.proof, at));
    await insertEndedAttempts(tx, attempts);
  }
  if (turn.proof !== null) return promote(site, tx, credential, results, turn.proof);
  const latest = turn.logins.findLast(({ version }) => version === credential.secret_version);
  if (latest === undefined) return;
  const { verifyEveryMs } = await ownerOf(site, tx, row);
  await updateCredential(tx, credential.id, changesAfter(credential, latest.result, at, verifyEveryMs));
}

/** INVARIANT: a version comes into force only after a fresh login with it. */
async function promote(
  site: Site,
  tx: Tx,
  credential: CredentialRow,
  { row, turn, at }: Results,
  proof: Login,
): Promise<void> {
  const { isNew } = turn;
  const { id, login_revision } = credential;
  const reason = row.journal.by === "account" ? "rotated" : "reconciled";
  const { verifyEveryMs } = await ownerOf(site, tx, row);
  const renewed = { ...credential, login_revision: login_revision + 1, rejected_revision: null };
  await Promise.all([
    promoteVersion(tx, { id, version: proof.version, reason, isNew, at }),
    updateCredential(tx, id, {
      ...changesAfter(renewed, proof.result, at, verifyEveryMs),
      secret_version: proof.version,
      login_revision: renewed.login_revision,
      updated_at: at,
    }),
  ]);
}

/** What is said of a version that is not in force is outdated as it is written. */
function attemptOf(row: RotationRow, credential: CredentialRow, login: Login, proof: Login | null, at: Date) {
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
