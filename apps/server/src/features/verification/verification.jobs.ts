// Verification jobs: the first verification of a new secret, the workers of runs, and the schedule.
import { isSupported } from "@strongroom/connectors";
import type { Tx } from "#kernel/db/database.ts";
import { lockSecret, updateSecret } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { isPending } from "#features/users/index.ts";
import { endAbandonedAttempt } from "./attempts/begin-attempt.ts";
import { RUN_JOB, startRun } from "./runs/run-verification.ts";
import { findDueOwners, findStalledRuns, pruneRuns } from "./runs/runs.store.ts";
import type { VerificationContext } from "./context.ts";
import { destinationOf, targetOf } from "./verification.ts";
import { findAbandoned, findRunningAttempt, pruneAttempts } from "./verification.store.ts";
import { systemRecorder, verify } from "./attempts/verify-credential.ts";
import { workRun } from "./runs/work-run.ts";

const FIRST_JOB = "verification.first";
const SCHEDULE_JOB = "verification.schedule";
/** The interval of the schedule in minutes. Abandoned work is resumed at the same interval. */
export const SCHEDULE_EVERY = 5;
const WHILE_SEALED_MS = 10_000;
/** The limit of workers for all runs in one process, including workers that wait for a slow target. */
const WORKERS_AT_ONCE = 24;
/** How long attempts and runs are kept. */
const KEPT_MS = 90 * 86_400_000;
const PRUNED_AT_ONCE = 20_000;

interface FirstJob {
  credentialId: string;
  revision: number;
}

export function defineJobs(context: VerificationContext): void {
  const { jobs } = context.kernel;
  jobs.define<FirstJob>(FIRST_JOB, { concurrency: 4, groupConcurrency: 2 }, ({ data, signal }) =>
    verifyFirst(context, data, signal),
  );
  jobs.define<{ runId: string }>(RUN_JOB, { concurrency: WORKERS_AT_ONCE, retryLimit: 10 }, ({ data, signal }) =>
    workRun(context, data.runId, signal),
  );
  jobs.define(SCHEDULE_JOB, { schedule: `*/${SCHEDULE_EVERY} * * * *`, policy: "exclusive" }, () =>
    runSchedule(context),
  );
}

/** OPEN-50: queues the first verification of a stored secret if a connector supports it, in the same transaction. */
export async function queueFirst(context: VerificationContext, tx: Tx, secretRow: SecretRow): Promise<void> {
  const target = targetOf(secretRow);
  // INVARIANT: no secret of a user who is waiting for activation reaches a target.
  if (!isSupported(target) || (secretRow.user_id !== null && (await isPending(tx, secretRow.user_id)))) {
    await updateSecret(tx, secretRow.id, { verify_after: null });
    return;
  }
  const data: FirstJob = { credentialId: secretRow.id, revision: secretRow.login_revision };
  const group = destinationOf(secretRow) ?? undefined;
  await context.kernel.jobs.enqueue(tx, FIRST_JOB, data, group === undefined ? {} : { group: group.slice(0, 200) });
}

async function verifyFirst(context: VerificationContext, data: FirstJob, signal: AbortSignal): Promise<void> {
  const { database, jobs, keys, clock } = context.kernel;
  const { credentialId } = data;
  /**
   * Returns null when this job is no longer needed: a newer change has its own job, and a secret that was verified in
   * the meantime needs none.
   */
  const lock = async (tx: Tx) => {
    const row = await lockSecret(tx, credentialId);
    return row?.login_revision === data.revision && row.verification_status === "pending" ? row : null;
  };
  const isStillFirst = await database.transaction(async (tx) => {
    if ((await lock(tx)) === null) return false;
    if (!keys.isSealed) return true;
    await jobs.enqueue(tx, FIRST_JOB, data, { startAfter: new Date(clock.now().getTime() + WHILE_SEALED_MS) });
    return false;
  });
  if (!isStillFirst) return;
  // The attempt checks this again when it begins, because another attempt may have ended in between.
  await verify(
    context,
    { credentialId, lock, askedBy: null, trigger: "first", isAutomatic: true, run: null, signal },
    systemRecorder(context.kernel),
  );
}

/**
 * Ends abandoned attempts, queues new workers for stalled runs, prunes old attempts and runs, and starts due
 * verifications.
 */
export async function runSchedule(context: VerificationContext): Promise<void> {
  const { kernel } = context;
  const { database, jobs } = kernel;
  for (const credentialId of await findAbandoned(database.db, 1_000)) {
    await database.transaction(async (tx) => {
      const secretRow = await lockSecret(tx, credentialId);
      const underWay = await findRunningAttempt(tx, credentialId);
      if (underWay?.isAbandoned === true) await endAbandonedAttempt(context, tx, underWay.attempt, secretRow);
    });
  }
  for (const runId of await findStalledRuns(database.db)) {
    await database.transaction((tx) => jobs.enqueue(tx, RUN_JOB, { runId }));
  }
  const dueAt = kernel.clock.now();
  const before = new Date(dueAt.getTime() - KEPT_MS);
  await database.transaction(async (tx) => {
    await pruneAttempts(tx, before, PRUNED_AT_ONCE);
    await pruneRuns(tx, before);
  });
  if (kernel.keys.isSealed) return;
  for (const { userId } of await findDueOwners(database.db, dueAt)) {
    const query = { userId, scope: "scheduled", requestedBy: null, chosen: { dueAt } } as const;
    await database.transaction((tx) => startRun(kernel, tx, query));
  }
}
