// Verification in the background: the first of a new secret, the workers of runs, and the schedule.
import { isSupported } from "@strongroom/connectors";
import type { Tx } from "#kernel/db/database.ts";
import { lockAnyCredential, updateCredential } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { isPending } from "#features/users/index.ts";
import { abandon } from "./begin-attempt.ts";
import { RUN_JOB, startRun } from "./run-verification.ts";
import { findDueOwners, findStalledRuns, pruneRuns } from "./runs.store.ts";
import type { Site } from "./site.ts";
import { destinationOf, targetOf } from "./verification.ts";
import { findAbandoned, findUnderWay, pruneAttempts } from "./verification.store.ts";
import { byItself, verify } from "./verify-credential.ts";
import { workRun } from "./work-run.ts";

const FIRST_JOB = "verification.first";
const SCHEDULE_JOB = "verification.schedule";
/** In minutes. Also how soon what a dead process left behind is taken up. */
export const SCHEDULE_EVERY = 5;
const WHILE_SEALED_MS = 10_000;
/** Of all runs in one process, with those that a target holds up. */
const WORKERS_AT_ONCE = 24;
/** How long attempts and runs are shown. */
const KEPT_MS = 90 * 86_400_000;
const PRUNED_AT_ONCE = 20_000;

interface FirstJob {
  credentialId: string;
  revision: number;
}

export function defineJobs(site: Site): void {
  const { jobs } = site.kernel;
  jobs.define<FirstJob>(FIRST_JOB, { concurrency: 4, groupConcurrency: 2 }, ({ data, signal }) =>
    verifyFirst(site, data, signal),
  );
  jobs.define<{ runId: string }>(RUN_JOB, { concurrency: WORKERS_AT_ONCE, retryLimit: 10 }, ({ data, signal }) =>
    workRun(site, data.runId, signal),
  );
  jobs.define(SCHEDULE_JOB, { schedule: `*/${SCHEDULE_EVERY} * * * *`, policy: "exclusive" }, () => keepSchedule(site));
}

/** OPEN-50: a secret that was just stored is verified by itself, where a connector exists. Part of the same transaction. */
export async function queueFirst(site: Site, tx: Tx, credential: CredentialRow): Promise<void> {
  const target = targetOf(credential);
  // INVARIANT: nothing that belongs to an account that waits for activation reaches a target.
  if (!isSupported(target) || (credential.user_id !== null && (await isPending(tx, credential.user_id)))) {
    await updateCredential(tx, credential.id, { verify_after: null });
    return;
  }
  const data: FirstJob = { credentialId: credential.id, revision: credential.login_revision };
  const group = destinationOf(credential) ?? undefined;
  await site.kernel.jobs.enqueue(tx, FIRST_JOB, data, group === undefined ? {} : { group: group.slice(0, 200) });
}

async function verifyFirst(site: Site, data: FirstJob, signal: AbortSignal): Promise<void> {
  const { database, jobs, keys, clock } = site.kernel;
  const { credentialId } = data;
  /** Changed again since: that has its own job. Verified by somebody else since: nothing is left to do. */
  const lock = async (tx: Tx) => {
    const row = await lockAnyCredential(tx, credentialId);
    return row?.login_revision === data.revision && row.verification_status === "pending" ? row : null;
  };
  const isStillFirst = await database.transaction(async (tx) => {
    if ((await lock(tx)) === null) return false;
    if (!keys.isSealed) return true;
    await jobs.enqueue(tx, FIRST_JOB, data, { startAfter: new Date(clock.now().getTime() + WHILE_SEALED_MS) });
    return false;
  });
  if (!isStillFirst) return;
  // Looked at again where the attempt begins: somebody else's may have come and gone in between.
  await verify(
    site,
    { credentialId, lock, askedBy: null, trigger: "first", isAutomatic: true, run: null, signal },
    byItself(site.kernel),
  );
}

/** Ends what dead processes left open, gives runs new workers where theirs are gone, forgets old ones, starts what is due. */
export async function keepSchedule(site: Site): Promise<void> {
  const { kernel } = site;
  const { database, jobs } = kernel;
  for (const credentialId of await findAbandoned(database.db, 1_000)) {
    await database.transaction(async (tx) => {
      const credential = await lockAnyCredential(tx, credentialId);
      const underWay = await findUnderWay(tx, credentialId);
      if (underWay?.isAbandoned === true) await abandon(site, tx, underWay.attempt, credential);
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
    const wish = { userId, scope: "scheduled", requestedBy: null, chosen: { dueAt } } as const;
    await database.transaction((tx) => startRun(kernel, tx, wish));
  }
}
