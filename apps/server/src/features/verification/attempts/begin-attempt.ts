// Begins an attempt: records it before its secret is opened and sent to the target.
import { connectorFor, isSupported } from "@strongroom/connectors";
import type { Connector } from "@strongroom/connectors";
import type { EnvelopeError } from "@strongroom/keys";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { activeError, refuseWhileRotating, activeRotationOf, updateSecret } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { isPending } from "#features/users/index.ts";
import { ownerOf } from "../owner-of.ts";
import { concluded } from "./finish-attempt.ts";
import { countedLogin, pausedUntil, rejectedTooOften } from "./limit-rejections.ts";
import type { VerificationContext } from "../context.ts";
import { isDue, isHeldBack } from "../verification.policy.ts";
import type { Trigger } from "../verification.policy.ts";
import {
  INTERRUPTED,
  changesAfter,
  completed,
  destinationOf,
  endedBy,
  noteOf,
  targetIn,
  targetOf,
} from "../verification.ts";
import { endAttempt, findRunningAttempt, insertAttempt } from "../verification.store.ts";
import type { AttemptRow } from "../verification.store.ts";

/** Longer than any attempt takes, and short enough to wait for after a crash. */
const LEASE_SECONDS = 30;

export interface AttemptOrder {
  credentialId: string;
  /** Locks the secret; null when it does not exist, or when the requester may not verify it. */
  lock: (tx: Tx, id: string) => Promise<SecretRow | null>;
  /** The user who requested the attempt and waits for it until `signal` aborts; null for automatic attempts. */
  askedBy: { id: string; name: string; signal: AbortSignal } | null;
  trigger: Trigger;
  /** True when no user requested this particular secret. The lockout budget then applies. */
  isAutomatic: boolean;
  run: { id: string; requestedBy: string | null } | null;
  signal: AbortSignal;
}

/** An attempt that sent nothing. */
export type SkippedAttempt =
  | { kind: "gone" }
  /** The target has already rejected this secret. */
  | { kind: "held-back" }
  /** The target rejected this login several times; the schedule tries it later. */
  | { kind: "deferred" }
  /** Another run has verified the secret since this attempt was planned, or a rotation is changing it. */
  | { kind: "not-due" }
  /** No connector supports the secret's target, and no user requested the attempt. */
  | { kind: "not-verifiable" };

export interface StartedAttempt {
  kind: "started";
  attempt: AttemptRow;
  secretRow: SecretRow;
  connector: Connector;
  /** Why the stored secret must not be used as the active one; null when it may be used. */
  activeError: EnvelopeError | null;
}

export type AttemptStart =
  | StartedAttempt
  | SkippedAttempt
  | { kind: "under-way"; attempt: AttemptRow; revision: number };

/**
 * `record` appends the audit entry before the secret is opened. INVARIANT: a secret is opened for its target only
 * after this transaction has committed.
 */
export async function beginAttempt(
  context: VerificationContext,
  tx: Tx,
  query: AttemptOrder,
  record: (note: AuditNote) => Promise<void>,
): Promise<AttemptStart> {
  const { kernel } = context;
  const secretRow = await query.lock(tx, query.credentialId);
  if (secretRow === null) return { kind: "gone" };
  // INVARIANT: no secret of a user who is waiting for activation reaches a target, regardless of the requester.
  if (secretRow.user_id !== null && (await isPending(tx, secretRow.user_id))) {
    if (secretRow.verify_after !== null) await updateSecret(tx, secretRow.id, { verify_after: null });
    return { kind: "not-due" };
  }
  // INVARIANT: a placeholder is never sent to a target.
  if (secretRow.safe_id !== null && (await context.accounts.isPasswordUnknown(tx, secretRow.id))) {
    if (query.askedBy !== null) throw passwordUnknown(secretRow.name);
    if (secretRow.verify_after !== null) await updateSecret(tx, secretRow.id, { verify_after: null });
    return { kind: "not-due" };
  }
  if (isHeldBack(secretRow, query.isAutomatic)) return { kind: "held-back" };
  // An active rotation verifies the secret itself. A user who waits for an answer gets a refusal.
  if (query.askedBy !== null) await refuseWhileRotating(tx, secretRow.id);
  else if ((await activeRotationOf(tx, [secretRow.id])) !== null) return { kind: "not-due" };
  if (query.trigger === "scheduled" && !isDue(secretRow, kernel.clock.now())) return { kind: "not-due" };
  const other = await findRunningAttempt(tx, secretRow.id);
  if (other !== null && !other.isAbandoned) {
    return { kind: "under-way", attempt: other.attempt, revision: secretRow.login_revision };
  }
  if (other !== null) await endAbandonedAttempt(context, tx, other.attempt, secretRow);

  const login = await countedLogin(tx, secretRow);
  const until = await pausedUntil(tx, login, kernel.clock.now());
  if (until !== null) {
    if (query.askedBy !== null) throw rejectedTooOften();
    // A value that was rejected itself waits for its user instead.
    if (!isHeldBack(secretRow, true)) await updateSecret(tx, secretRow.id, { verify_after: until });
    return { kind: "deferred" };
  }
  const target = targetOf(secretRow);
  const isSupportedTarget = isSupported(target);
  if (!isSupportedTarget && query.isAutomatic) {
    if (secretRow.verify_after !== null) await updateSecret(tx, secretRow.id, { verify_after: null });
    return { kind: "not-verifiable" };
  }
  const connector = connectorFor(target);
  const attempt = await insertAttempt(
    tx,
    { ...newAttempt(secretRow, query, connector.id, kernel.clock.now()), login },
    LEASE_SECONDS,
  );
  if (isSupportedTarget) {
    const details = { attempt: attempt.id, host: attempt.host, verification_type: connector.id, source: query.trigger };
    await record({ target: targetIn(attempt), result: "info", details });
  }
  if (query.askedBy !== null) {
    for (const watcher of context.watchers) await watcher.started(tx, { attempt, askedBy: query.askedBy.id });
  }
  return { kind: "started", attempt, secretRow, connector, activeError: await activeError(kernel, secretRow) };
}

const passwordUnknown = (name: string): Refusal =>
  refuse(
    409,
    "account.password-unknown",
    `The password of "${name}" is not known yet. Store it, or let the platform's reconcile account set a new one.`,
  );

function newAttempt(secretRow: SecretRow, query: AttemptOrder, method: string, at: Date) {
  return {
    id: newId(at.getTime()),
    credential_id: secretRow.id,
    user_id: secretRow.user_id,
    revision: secretRow.login_revision,
    trigger: query.trigger,
    run_id: query.run?.id ?? null,
    triggered_by: query.askedBy?.name ?? query.run?.requestedBy ?? "Strongroom",
    credential_name: secretRow.name,
    type: secretRow.type,
    host: destinationOf(secretRow),
    username: secretRow.username,
    method,
    started_at: at,
  };
}

/** Ends an attempt whose process died. The secret's verification status does not change. */
export async function endAbandonedAttempt(
  context: VerificationContext,
  tx: Tx,
  attempt: AttemptRow,
  secretRow: SecretRow | null,
): Promise<void> {
  const { clock, events } = context.kernel;
  const at = clock.now();
  const owner = await ownerOf(context, tx, attempt);
  const result = endedBy(INTERRUPTED, "The verification was interrupted because the server stopped.");
  const isOutdated = secretRow === null || secretRow.login_revision !== attempt.revision;
  const ended = await endAttempt(tx, attempt.id, { ...result, at, isOutdated });
  if (ended === null) return;
  const before = isOutdated ? null : secretRow;
  const after =
    before === null ? null : await updateSecret(tx, before.id, changesAfter(before, result, at, owner.verifyEveryMs));
  await events.publish(tx, ...completed(ended, owner, false));
  const news = { attempt: ended, askedBy: null, before, after, owner, isAlarm: false };
  const note = await concluded(context, tx, news, noteOf(ended, false));
  await appendAudit(tx, [systemEntry(owner.verifiedEvent, "verification", note, at)]);
}
