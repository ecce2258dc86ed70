// Requests a rotation of the caller's own credential, or of an account whose secret the caller may manage.
import { canChange, connectorFor } from "@strongroom/connectors";
import type {
  ReplyOf,
  Rotation,
  RotationId,
  reconcileAccount as reconcileEndpoint,
  rotateAccount as rotateAccountEndpoint,
  rotateCredential as rotateCredentialEndpoint,
} from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { activeError, unreadable } from "#features/secrets/index.ts";
import { credentialNotFound, lockCredential } from "#features/vault/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { destinationOf, loginTargetOf, ownerOf } from "#features/verification/index.ts";
import { readConditions } from "./schedule/due.store.ts";
import type { RotationConditions } from "./schedule/due.store.ts";
import { checkReconcileScope } from "./reconcile/reconcile-scope.policy.ts";
import type { LocatedLogin } from "./reconcile/reconcile-scope.policy.ts";
import { applyEvent, initialJournal } from "./rotation.policy.ts";
import type { RotationMethod } from "./rotation.policy.ts";
import { changed } from "./rotation.ts";
import { insertRotations, readOpen, wakeRotation } from "./rotation.store.ts";
import type { RotationRequester, NewRotation, ShownRotation } from "./rotation.store.ts";
import type { RotationContext } from "./context.ts";
import { QUEUED } from "./rotation-labels.ts";

type Started = ReplyOf<typeof rotateAccountEndpoint>;

export async function rotateCredential(context: RotationContext, call: Call<typeof rotateCredentialEndpoint>, tx: Tx) {
  const { id } = call.params;
  call.note({ target: { type: "credential", id } });
  const row = await lockCredential(tx, call.actor, id);
  if (row === null) throw credentialNotFound();
  return start(context, call, tx, row, null);
}

export async function rotateAccount(context: RotationContext, call: Call<typeof rotateAccountEndpoint>, tx: Tx) {
  return start(context, call, tx, await heldAccount(context, call, tx), null);
}

export async function reconcileAccount(context: RotationContext, call: Call<typeof reconcileEndpoint>, tx: Tx) {
  return start(context, call, tx, await heldAccount(context, call, tx), "reconcile-account");
}

function heldAccount(
  { rotated }: RotationContext,
  call: Call<typeof rotateAccountEndpoint> | Call<typeof reconcileEndpoint>,
  tx: Tx,
): Promise<SecretRow> {
  const { id } = call.params;
  call.note({ target: { type: "account", id } });
  return rotated.hold(tx, call.actor, id, "manage_secret");
}

async function start(
  context: RotationContext,
  call: Call,
  tx: Tx,
  row: SecretRow,
  by: RotationMethod | null,
): Promise<Started> {
  const { id: userId, name } = call.actor;
  const asked = { by, because: "asked", requester: { id: userId, name }, runId: null } as const;
  const rotation = await enqueueRotation(context, tx, row, asked);
  const type = row.user_id === null ? "account" : "credential";
  call.note({
    target: { type, id: row.id, name: row.name },
    details: { rotation: rotation.id, by: rotation.journal.by },
  });
  const message = `Rotation process initiated for "${row.name}"`;
  return { success: true, rotation_id: rotation.id as RotationId, message };
}

export interface RotationOrder {
  /** Null: use the platform's method. */
  by: RotationMethod | null;
  because: Rotation["because"];
  requester: RotationRequester;
  runId: string | null;
}

/**
 * Wakes the open rotation if there is one. The caller must hold the row lock. Throws 409 when the secret cannot be
 * changed.
 */
export async function enqueueRotation(
  context: RotationContext,
  tx: Tx,
  row: SecretRow,
  asked: RotationOrder,
): Promise<ShownRotation> {
  const circumstances = await readConditions(tx, row.id);
  const refusal = obstacleToRotation(row, circumstances, asked.by);
  if (refusal !== null) throw refusal;
  const at = context.kernel.clock.now();
  const by = methodFor(circumstances, asked.by);
  const open = await readOpen(tx, row.id);
  if (open === null) {
    const error = await activeError(context.kernel, row);
    if (error !== null) throw unreadable(context.kernel, row.id, error);
    await insertRotations(tx, [newRotation(row, { ...asked, by }, at)]);
  } else if (open.state !== "running") {
    const tooOften = askedTooOften(open, at);
    if (tooOften !== null) throw tooOften;
    const journal = applyEvent(open.journal, { kind: "asked", by });
    const message = `${asked.requester.name} requested a retry.`;
    await wakeRotation(tx, open.id, { journal, message, asked_by: asked.requester, at });
  }
  const rotation = (await readOpen(tx, row.id))!;
  const { audience } = await ownerOf(context, tx, rotation);
  await context.kernel.events.publish(tx, changed(rotation, rotation.state, rotation.message, audience));
  return rotation;
}

/**
 * The lockout budget of manual requests: how many times, and within which period, users can have rejected secrets sent
 * again.
 */
const MOST_ASKED = 2;
const ASKED_WITHIN_MS = 15 * 60_000;

function askedTooOften({ credential_name: name, journal, asked_again_at }: ShownRotation, at: Date): Refusal | null {
  if (journal.dead.length === 0) return null;
  const recent = asked_again_at.filter((each) => at.getTime() - each.getTime() < ASKED_WITHIN_MS);
  if (recent.length < MOST_ASKED) return null;
  const waitMs = recent.at(-MOST_ASKED)!.getTime() + ASKED_WITHIN_MS - at.getTime();
  const minutes = Math.ceil(waitMs / 60_000);
  const message = `The target has just refused the stored secrets of "${name}" several times. Another attempt could lock the account. Store the correct secret, or try again in ${minutes} min.`;
  return refuse(409, "rotation.asked-often", message, { retryAfter: Math.ceil(waitMs / 1000) });
}

/** INVARIANT: a placeholder is never sent to a target, so only the reconcile account changes an unknown password. */
export const methodFor = (now: RotationConditions, requested: RotationMethod | null): RotationMethod =>
  now.is_password_unknown ? "reconcile-account" : (requested ?? now.rotate_as ?? "account");

/** Returns null when the secret can be rotated. Never throws. */
export function obstacleToRotation(
  row: LocatedLogin & { name: string },
  now: RotationConditions,
  requested: RotationMethod | null,
): Refusal | null {
  const by = methodFor(now, requested);
  const isRotatable = now.account_status === "active" || (now.account_status === "pending" && now.is_password_unknown);
  if (now.account_status !== null && !isRotatable) {
    return refuse(
      409,
      "account.not-active",
      `"${row.name}" is ${now.account_status}, so its secret cannot be rotated.`,
    );
  }
  if (now.is_platform_active === false) {
    return refuse(
      409,
      "rotation.platform-inactive",
      "The account's platform is not active, so its secret cannot be rotated.",
    );
  }
  const connector = connectorFor(loginTargetOf(row));
  const beyond = now.reconciler === null ? null : checkReconcileScope(row, now.reconciler);
  const canReconcile = connector.reconcile !== undefined && now.reconciler !== null && beyond === null;
  if (by === "reconcile-account" && !canReconcile) {
    if (connector.reconcile !== undefined && beyond !== null) return refuse(409, beyond.code, beyond.message);
    const why =
      now.reconciler !== null
        ? "This type of system does not support reconciliation"
        : "The account's platform has no reconcile account";
    return refuse(409, "rotation.no-reconcile-account", `${why}.`);
  }
  if (canChange(connector) || canReconcile) return null;
  const isKnown = connector.id !== "unsupported";
  const why = isKnown
    ? `Strongroom can only verify secrets for ${connector.name}`
    : "no connector can change it on the target";
  return refuse(409, "rotation.not-supported", `The secret of "${row.name}" cannot be rotated: ${why}.`);
}

export function newRotation(
  row: SecretRow,
  {
    by,
    because,
    requester,
    runId,
  }: Omit<RotationOrder, "requester" | "by"> & { by: RotationMethod; requester: RotationRequester | null },
  at: Date,
): NewRotation {
  return {
    id: newId(at.getTime()),
    credential_id: row.id,
    user_id: row.user_id,
    credential_name: row.name,
    because,
    asked_by: requester,
    run_id: runId,
    target: destinationOf(row)?.toLowerCase() ?? null,
    journal: initialJournal(row.secret_version, by),
    message: QUEUED,
    started_at: at,
  };
}
