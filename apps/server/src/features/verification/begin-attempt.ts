// Begins an attempt: the record that a secret is about to be opened and sent to its target, before any of that happens.
import { connectorFor, isSupported } from "@strongroom/connectors";
import type { Connector } from "@strongroom/connectors";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import { refuseWhileRotating, rotationInHand, updateCredential } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { isPending } from "#features/users/index.ts";
import { ownerOf } from "./owner-of.ts";
import { concluded } from "./conclude-attempt.ts";
import type { Site } from "./site.ts";
import { isDue, isHeldBack } from "./verification.policy.ts";
import type { Trigger } from "./verification.policy.ts";
import {
  INTERRUPTED,
  changesAfter,
  completed,
  destinationOf,
  endedBy,
  noteOf,
  targetIn,
  targetOf,
} from "./verification.ts";
import { endAttempt, findUnderWay, insertAttempt } from "./verification.store.ts";
import type { AttemptRow } from "./verification.store.ts";

/** Longer than any attempt may take, and short enough to wait for after a crash. */
const LEASE_SECONDS = 30;

export interface Wish {
  credentialId: string;
  /** Locks the credential; null when there is none, or who asks may not have it verified. */
  lock: (tx: Tx, id: string) => Promise<CredentialRow | null>;
  /** The person who requested this one and waits for it, until `signal`; null: the product itself. */
  askedBy: { id: string; name: string; signal: AbortSignal } | null;
  trigger: Trigger;
  /** Nobody asked for this very credential, so the lock-out budget counts. */
  isAutomatic: boolean;
  run: { id: string; requestedBy: string | null } | null;
  signal: AbortSignal;
}

/** Nothing was sent. */
export type Untried =
  | { kind: "gone" }
  /** Its target has already refused this very secret. */
  | { kind: "held-back" }
  /** Another run has tried it since this one was planned, or a rotation is changing it. */
  | { kind: "not-due" }
  /** No connector, and nobody asked for this one. */
  | { kind: "not-verifiable" };

export interface Begun {
  kind: "begun";
  attempt: AttemptRow;
  credential: CredentialRow;
  connector: Connector;
}

export type Beginning = Begun | Untried | { kind: "under-way"; attempt: AttemptRow; revision: number };

/**
 * `record` appends the entry that precedes the opening. INVARIANT: a secret is opened for its target only after this has
 * committed.
 */
export async function beginAttempt(
  site: Site,
  tx: Tx,
  wish: Wish,
  record: (note: AuditNote) => Promise<void>,
): Promise<Beginning> {
  const { kernel } = site;
  const credential = await wish.lock(tx, wish.credentialId);
  if (credential === null) return { kind: "gone" };
  // INVARIANT: nothing that belongs to an account that waits for activation reaches a target, whoever requests it.
  if (credential.user_id !== null && (await isPending(tx, credential.user_id))) {
    if (credential.verify_after !== null) await updateCredential(tx, credential.id, { verify_after: null });
    return { kind: "not-due" };
  }
  if (isHeldBack(credential, wish.isAutomatic)) return { kind: "held-back" };
  // What is being changed just now is proved by that; who waits for an answer is told.
  if (wish.askedBy !== null) await refuseWhileRotating(tx, credential.id);
  else if ((await rotationInHand(tx, [credential.id])) !== null) return { kind: "not-due" };
  if (wish.trigger === "scheduled" && !isDue(credential, kernel.clock.now())) return { kind: "not-due" };
  const other = await findUnderWay(tx, credential.id);
  if (other !== null && !other.isAbandoned) {
    return { kind: "under-way", attempt: other.attempt, revision: credential.login_revision };
  }
  if (other !== null) await abandon(site, tx, other.attempt, credential);

  const target = targetOf(credential);
  const isSupportedTarget = isSupported(target);
  if (!isSupportedTarget && wish.isAutomatic) {
    if (credential.verify_after !== null) await updateCredential(tx, credential.id, { verify_after: null });
    return { kind: "not-verifiable" };
  }
  const connector = connectorFor(target);
  const attempt = await insertAttempt(
    tx,
    newAttempt(credential, wish, connector.id, kernel.clock.now()),
    LEASE_SECONDS,
  );
  if (isSupportedTarget) {
    const details = { attempt: attempt.id, host: attempt.host, verification_type: connector.id, source: wish.trigger };
    await record({ target: targetIn(attempt), result: "info", details });
  }
  if (wish.askedBy !== null) {
    for (const watcher of site.watchers) await watcher.begun(tx, { attempt, askedBy: wish.askedBy.id });
  }
  return { kind: "begun", attempt, credential, connector };
}

function newAttempt(credential: CredentialRow, wish: Wish, method: string, at: Date) {
  return {
    id: newId(at.getTime()),
    credential_id: credential.id,
    user_id: credential.user_id,
    revision: credential.login_revision,
    trigger: wish.trigger,
    run_id: wish.run?.id ?? null,
    triggered_by: wish.askedBy?.name ?? wish.run?.requestedBy ?? "Strongroom",
    credential_name: credential.name,
    type: credential.type,
    host: destinationOf(credential),
    username: credential.username,
    method,
    started_at: at,
  };
}

/** Ends an attempt whose process is gone. What was known of the credential before stays known. */
export async function abandon(
  site: Site,
  tx: Tx,
  attempt: AttemptRow,
  credential: CredentialRow | null,
): Promise<void> {
  const { clock, events } = site.kernel;
  const at = clock.now();
  const owner = await ownerOf(site, tx, attempt);
  const result = endedBy(INTERRUPTED, "The verification was interrupted: the server stopped before it ended.");
  const isOutdated = credential === null || credential.login_revision !== attempt.revision;
  const ended = await endAttempt(tx, attempt.id, { ...result, at, isOutdated });
  if (ended === null) return;
  const before = isOutdated ? null : credential;
  const after =
    before === null
      ? null
      : await updateCredential(tx, before.id, changesAfter(before, result, at, owner.verifyEveryMs));
  await events.publish(tx, ...completed(ended, owner, false));
  const news = { attempt: ended, askedBy: null, before, after, owner, isAlarm: false };
  const note = await concluded(site, tx, news, noteOf(ended, false));
  await appendAudit(tx, [systemEntry(owner.verifiedEvent, "verification", note, at)]);
}
