// Verifies one stored secret: records the attempt, logs in outside any transaction, records the result.
import type { Endpoint, VerifyReply, verifyCredential } from "@strongroom/contract";
import { setTimeout as delay } from "node:timers/promises";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry, systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { lockSecret } from "#features/secrets/index.ts";
import { credentialNotFound, lockCredential } from "#features/vault/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { beginAttempt } from "./begin-attempt.ts";
import type { SkippedAttempt, AttemptOrder } from "./begin-attempt.ts";
import { finishAttempt } from "./finish-attempt.ts";
import type { FinishedAttempt } from "./finish-attempt.ts";
import { tryLogin } from "./try-login.ts";
import type { VerificationContext } from "../context.ts";
import { destinationOf, noteOf, toReply } from "../verification.ts";
import { findRunningAttempt, readAttempt } from "../verification.store.ts";
import type { AttemptRow } from "../verification.store.ts";

/** A little longer than an attempt can keep a secret busy, so that an abandoned attempt can be taken over. */
const PATIENCE_MS = 35_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** Records the start and the result of an attempt in the audit trail. */
export interface AttemptRecorder {
  begin(tx: Tx, note: AuditNote): Promise<void>;
  /** Runs `work` in the transaction that also writes the audit entry of the result. */
  conclude(work: (tx: Tx) => Promise<{ note: AuditNote; value: FinishedAttempt }>): Promise<FinishedAttempt>;
}

/**
 * Verifies a secret. Only one attempt per secret is under way at a time, across all processes: a second caller waits
 * and shares its result. Throws 409 when other attempts keep the secret busy for too long, and 429 when no slot becomes
 * free (see `gate.ts`).
 */
export async function verify(
  context: VerificationContext,
  query: AttemptOrder,
  recorder: AttemptRecorder,
): Promise<FinishedAttempt | SkippedAttempt> {
  const { askedBy, credentialId } = query;
  const attempt = () => attemptInTurn(context, query, recorder);
  if (askedBy === null) return attempt();
  // Checked with the caller's permissions, so that waiting reveals nothing about hidden credentials.
  const secretRow = await context.kernel.database.pipelinedTransaction((tx) => query.lock(tx, credentialId));
  if (secretRow === null) return { kind: "gone" };
  const signal = AbortSignal.any([askedBy.signal, query.signal]);
  return context.gate({ personId: askedBy.id, credentialId, target: endpointOf(secretRow), signal }, attempt);
}

/** The address a login with this secret goes to, such as `db1:5432`; without a port if the default applies. */
function endpointOf(secretRow: SecretRow): string | null {
  const host = destinationOf(secretRow);
  if (host === null) return null;
  const port = URL.parse(secretRow.connection_string ?? "")?.port || secretRow.port;
  return `${host.toLowerCase()}:${port ?? ""}`;
}

async function attemptInTurn(
  context: VerificationContext,
  query: AttemptOrder,
  recorder: AttemptRecorder,
): Promise<FinishedAttempt | SkippedAttempt> {
  const { kernel } = context;
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    // Pipelined, because the first statement only locks the secret, which has no effect on its own.
    const started = await kernel.database.pipelinedTransaction((tx) =>
      beginAttempt(context, tx, query, (note) => recorder.begin(tx, note)),
    );
    if (started.kind === "started") {
      const result = await tryLogin(context, started, query.signal);
      return recorder.conclude((tx) => finishAttempt(context, tx, started.attempt, result, query.askedBy?.id ?? null));
    }
    if (started.kind !== "under-way") return started;
    const other = await endOf(kernel, started.attempt, until);
    // The attempt used an earlier secret, so its result does not apply: begin again.
    if (other === null || other.is_outdated || other.revision !== started.revision) continue;
    return recorder.conclude((tx) => share(tx, other));
  }
  throw refuse(409, "verification.under-way", "This credential is already being verified. Try again in a minute.");
}

/** Waits for another caller's attempt. Returns null when it was abandoned, or does not end in time. */
async function endOf(kernel: Kernel, attempt: AttemptRow, until: number): Promise<AttemptRow | null> {
  const { db } = kernel.database;
  let pause = FIRST_PAUSE_MS;
  while (performance.now() < until) {
    const underWay = await findRunningAttempt(db, attempt.credential_id);
    if (underWay?.attempt.id !== attempt.id) return readAttempt(db, attempt.id);
    if (underWay.isAbandoned) return null;
    await delay(pause);
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
  }
  return null;
}

/** Returns the shared result for a second caller, with an audit note that says so. */
async function share(tx: Tx, attempt: AttemptRow): Promise<{ note: AuditNote; value: FinishedAttempt }> {
  const secretRow = await lockSecret(tx, attempt.credential_id);
  const isAlarm = secretRow !== null && secretRow.offered_host_key !== null;
  const note = noteOf(attempt, isAlarm);
  return {
    note: { ...note, details: { ...note.details, is_shared: true } },
    value: { kind: "tried", attempt, secretRow },
  };
}

/** Verifies a credential for the user who requested it, regardless of earlier rejections. */
export async function verifyNow(
  context: VerificationContext,
  call: SteppedCall<typeof verifyCredential>,
  signal: AbortSignal,
): Promise<VerifyReply> {
  const { id } = call.params;
  call.note({ target: { type: "credential", id } });
  const lock = (tx: Tx) => lockCredential(tx, call.actor, id);
  const query: AttemptOrder = { ...manual(id, call, signal), lock };
  const verdict = await verify(context, query, recorderForCall(context.kernel, call));
  if (verdict.kind !== "tried" || verdict.secretRow === null) throw credentialNotFound();
  return toReply(verdict.attempt, verdict.secretRow);
}

/** Returns the order for an attempt that a user requested. */
export const manual = (
  credentialId: string,
  { actor: { id, name }, signal: left }: Pick<Call, "actor" | "signal">,
  signal: AbortSignal,
): Omit<AttemptOrder, "lock"> => ({
  credentialId,
  askedBy: { id, name, signal: left },
  trigger: "manual",
  isAutomatic: false,
  run: null,
  signal,
});

/** Records the start and the result in the caller's name. */
export function recorderForCall<E extends Endpoint>(kernel: Kernel, call: SteppedCall<E>): AttemptRecorder {
  return {
    begin: (tx, note) =>
      appendAudit(tx, [callEntry("verification.started", call.actor, call.request, note, kernel.clock.now())]),
    conclude: (work) =>
      call.commit(async (tx) => {
        const { note, value } = await work(tx);
        call.note(note);
        return value;
      }),
  };
}

/**
 * Records automatic attempts. `last` runs at the end of the result's transaction, so that locks on shared rows are held
 * only briefly.
 */
export function systemRecorder(
  kernel: Kernel,
  last: (tx: Tx, attempt: AttemptRow) => Promise<void> = async () => {},
): AttemptRecorder {
  const entry = (event: string, note: AuditNote) => systemEntry(event, "verification", note, kernel.clock.now());
  return {
    begin: (tx, note) => appendAudit(tx, [entry("verification.started", note)]),
    conclude: (work) =>
      kernel.database.pipelinedTransaction(async (tx) => {
        const { note, value } = await work(tx);
        const event = note.target?.type === "account" ? "account.validated" : "credential.verified";
        await appendAudit(tx, [entry(event, note)]);
        await last(tx, value.attempt);
        return value;
      }),
  };
}
