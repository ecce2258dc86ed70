// Starts, reads and cancels runs that verify many credentials in the background.
import type { VerificationRun, cancelVerificationRun, readVerificationRun, verifyMultiple } from "@strongroom/contract";
import type { RunId } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { countOwnCredentials, credentialNotFound, requireOpenVault } from "#features/vault/index.ts";
import { cancelRun, findRunning, insertRun, readRun } from "./runs.store.ts";
import type { Chosen, Requester, RunRow } from "./runs.store.ts";
import type { VerificationContext } from "../context.ts";
import type { RunScope } from "../verification.policy.ts";

export const RUN_JOB = "verification.run";

/** Workers per run, in any process with free capacity. */
const WORKERS = 4;

export interface RunOrder {
  userId: string | null;
  scope: RunScope;
  requestedBy: Requester | null;
  chosen: Chosen;
}

/** Starts a run, or returns the running one of the same owner and scope. */
export async function startRun(kernel: Kernel, tx: Tx, query: RunOrder): Promise<RunRow> {
  const at = kernel.clock.now();
  const { userId: user_id, scope, requestedBy: requested_by } = query;
  const run = await insertRun(
    tx,
    { id: newId(at.getTime()), user_id, scope, requested_by, started_at: at },
    query.chosen,
  );
  // The existing run may have just ended, so try again.
  if (run === null) return (await findRunning(tx, user_id, scope)) ?? startRun(kernel, tx, query);
  await kernel.events.publish(tx, progressed(run));
  for (let worker = 0; worker < Math.min(WORKERS, run.total); worker++) {
    await kernel.jobs.enqueue(tx, RUN_JOB, { runId: run.id });
  }
  return run;
}

export function progressed(run: RunRow): NewEvent {
  return {
    type: "verification.run-progressed",
    audience: run.user_id === null ? { roles: ["admin"] } : { users: [run.user_id] },
    data: { run_id: run.id, total: run.total, done: run.done, is_completed: run.status !== "running" },
  };
}

/**
 * Verifies everything that the caller may verify: their own credentials, and accounts in safes where they have the
 * permission.
 */
export async function verifyAllOf({ kernel, accounts }: VerificationContext, call: Call, tx: Tx) {
  const isVaultClosed = call.actor.closure !== null;
  return start(kernel, call, tx, "all", { all: true, isVaultClosed, accounts: accounts.verifiableBy(call.actor) });
}

/** Verifies accounts for which the caller's permission has been checked. */
export async function verifyAccounts(kernel: Kernel, call: Call, tx: Tx, accountIds: readonly string[]) {
  const { id, name } = call.actor;
  return startRun(kernel, tx, { userId: id, scope: "selected", requestedBy: { id, name }, chosen: { accountIds } });
}

/** Verifies accounts and credentials for which the caller's permission has been checked. */
export const verifyAllowed = (kernel: Kernel, call: Call, tx: Tx, allowedIds: readonly string[]) =>
  start(kernel, call, tx, "selected", { allowedIds });

/**
 * Verifies all selected credentials or none: a credential that the caller may not use is refused as if it did not
 * exist.
 */
export async function verifyPicked(kernel: Kernel, call: Call<typeof verifyMultiple>, tx: Tx) {
  requireOpenVault(call.actor);
  const ids = [...new Set<string>(call.body.credential_ids)];
  if ((await countOwnCredentials(tx, call.actor, ids)) !== ids.length) throw credentialNotFound();
  return start(kernel, call, tx, "selected", { ids });
}

async function start(kernel: Kernel, call: Call, tx: Tx, scope: RunScope, chosen: Chosen) {
  const { id, name } = call.actor;
  const query: RunOrder = { userId: id, scope, requestedBy: { id, name }, chosen };
  const run = await startRun(kernel, tx, query);
  call.note({ target: { type: "verification-run", id: run.id }, details: { scope, queued: run.total } });
  const message = run.total === 0 ? "Nothing to verify" : "Global verification process initiated";
  return { run_id: run.id as RunId, queued: run.total, message };
}

export async function readOwnRun(call: Call<typeof readVerificationRun>, db: Db): Promise<VerificationRun> {
  const run = await readRun(db, call.actor.id, call.params.id);
  if (run === null) throw runNotFound();
  return toRun(run);
}

export async function cancelOwnRun(
  kernel: Kernel,
  call: Call<typeof cancelVerificationRun>,
  tx: Tx,
): Promise<VerificationRun> {
  const { id } = call.params;
  call.note({ target: { type: "verification-run", id } });
  const cancelled = await cancelRun(tx, call.actor.id, id, kernel.clock.now());
  if (cancelled === null) {
    if ((await readRun(tx, call.actor.id, id)) === null) throw runNotFound();
    throw refuse(409, "verification.run-ended", "This verification run has already ended.");
  }
  await kernel.events.publish(tx, progressed(cancelled));
  call.note({ details: { done: cancelled.done, total: cancelled.total } });
  return toRun(cancelled);
}

const runNotFound = (): Refusal => refuse(404, "verification.run-not-found", "Verification run not found");

function toRun(run: RunRow): VerificationRun {
  const { status, total, done, verified, failed } = run;
  return {
    id: run.id as RunId,
    status,
    total,
    done,
    verified,
    failed,
    started_at: run.started_at.toISOString(),
    completed_at: run.completed_at?.toISOString() ?? null,
  };
}
