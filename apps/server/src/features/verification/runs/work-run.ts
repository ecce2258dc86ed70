// A run's worker: verifies credentials until none is left, its time slice ends, or the run is cancelled.
import type { Tx } from "#kernel/db/database.ts";
import { lockSecret } from "#features/secrets/index.ts";
import type { AttemptOrder } from "../attempts/begin-attempt.ts";
import { RUN_JOB, progressed } from "./run-verification.ts";
import { claimItem, countItem, hasItems } from "./runs.store.ts";
import type { Counted, RunRow } from "./runs.store.ts";
import type { VerificationContext } from "../context.ts";
import { systemRecorder, verify } from "../attempts/verify-credential.ts";
import type { AttemptRow } from "../verification.store.ts";

/** Longer than an attempt with all its waiting. */
const CLAIM_SECONDS = 90;
/** The limit of concurrent logins to one host, across all runs and processes. */
const MOST_PER_TARGET = 2;
/** A worker whose login takes longer gets a replacement, so that hanging targets do not delay others. */
const HELD_UP_MS = 1_000;
/** After this time a worker queues itself again behind the workers of other runs. */
const TURN_MS = 10_000;
const AGAIN_AFTER_MS = 1_000;
const WHILE_SEALED_MS = 10_000;
/** The maximum number of progress events per run. */
const STEPS = 50;

/** Works on a run. Safe to call twice, to kill at any point, and to run concurrently with other workers of the same run. */
export async function workRun(context: VerificationContext, runId: string, signal: AbortSignal): Promise<void> {
  const { database, jobs, keys, clock } = context.kernel;
  const queueAgain = async (afterMs: number | null) => {
    const options = afterMs === null ? {} : { startAfter: new Date(clock.now().getTime() + afterMs) };
    await database.transaction((tx) => jobs.enqueue(tx, RUN_JOB, { runId }, options));
  };
  const until = performance.now() + TURN_MS;
  while (!signal.aborted && performance.now() < until) {
    if (keys.isSealed) return queueAgain(WHILE_SEALED_MS);
    const rules = { leaseSeconds: CLAIM_SECONDS, mostPerTarget: MOST_PER_TARGET };
    const claimed = await database.pipelinedTransaction((tx) => claimItem(tx, runId, rules));
    if (claimed === null) return;
    const { run, credentialId } = claimed;
    if (credentialId === null) {
      // Other workers have the remaining items, or their hosts are busy: check again later in case those workers die.
      if (await hasItems(database.db, runId)) await queueAgain(AGAIN_AFTER_MS);
      return;
    }
    const isReplaced = await orReplaced(verifyItem(context, run, credentialId, signal), () => queueAgain(null));
    if (isReplaced) return;
  }
  // This also happens when the server stops, so that another process continues the run.
  await queueAgain(null);
}

/** Returns whether `work` took so long that a replacement was queued. */
async function orReplaced(work: Promise<void>, replace: () => Promise<void>): Promise<boolean> {
  let replaced = Promise.resolve(false);
  const came = async () => {
    await replace();
    return true;
  };
  const timer = setTimeout(() => void (replaced = came().catch(() => false)), HELD_UP_MS);
  try {
    await work;
  } finally {
    clearTimeout(timer);
  }
  return await replaced;
}

async function verifyItem(
  context: VerificationContext,
  run: RunRow,
  credentialId: string,
  signal: AbortSignal,
): Promise<void> {
  const { kernel } = context;
  const query: AttemptOrder = {
    credentialId,
    lock: lockSecret,
    askedBy: null,
    trigger: run.scope === "scheduled" ? "scheduled" : "bulk",
    isAutomatic: run.scope !== "selected",
    run: { id: run.id, requestedBy: run.requested_by?.name ?? null },
    signal,
  };
  const count = async (tx: Tx, as: Counted): Promise<void> => {
    const counted = await countItem(tx, run.id, credentialId, as, kernel.clock.now());
    if (counted !== null && shouldReportProgress(counted)) await kernel.events.publish(tx, progressed(counted));
  };
  const countTried = async (tx: Tx, { outcome, code }: AttemptRow): Promise<void> => {
    // The attempt was cancelled because this server stops: the item stays claimed until another process takes it up.
    if (code === "cancelled") return;
    const isTried = outcome !== "unsupported" && outcome !== "aborted";
    await count(tx, outcome === "verified" ? "verified" : isTried ? "failed" : "untried");
  };
  const verdict = await verify(context, query, systemRecorder(kernel, countTried));
  if (verdict.kind === "tried") return;
  await kernel.database.transaction((tx) => count(tx, verdict.kind === "held-back" ? "failed" : "untried"));
}

/** Returns true when the run has ended, and at up to `STEPS` points before. */
export function shouldReportProgress(run: Pick<RunRow, "status" | "done" | "total">): boolean {
  return run.status !== "running" || run.done % Math.max(1, Math.floor(run.total / STEPS)) === 0;
}
