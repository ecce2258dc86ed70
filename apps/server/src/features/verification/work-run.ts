// A worker of a run: takes one credential after the other until none is left, its turn is over, or the run was cancelled.
import type { Tx } from "#kernel/db/database.ts";
import { lockAnyCredential } from "#features/credentials/index.ts";
import type { Wish } from "./begin-attempt.ts";
import { RUN_JOB, progressed } from "./run-verification.ts";
import { claimItem, countItem, hasItems } from "./runs.store.ts";
import type { Counted, RunRow } from "./runs.store.ts";
import type { Site } from "./site.ts";
import { byItself, verify } from "./verify-credential.ts";
import type { AttemptRow } from "./verification.store.ts";

/** Longer than an attempt with all its waiting. */
const CLAIM_SECONDS = 90;
/** Logins to one machine at a time, over all runs and processes. */
const MOST_PER_TARGET = 2;
/** A login that takes longer holds up a worker: another takes its place, so that targets that hang hold up no others. */
const HELD_UP_MS = 1_000;
/** After its turn a worker queues again behind those of other runs. */
const TURN_MS = 10_000;
const AGAIN_AFTER_MS = 1_000;
const WHILE_SEALED_MS = 10_000;
/** How many steps of progress a run tells at the most. */
const STEPS = 50;

/** Bears being run twice, killed at any point, or run beside others of the same run. */
export async function workRun(site: Site, runId: string, signal: AbortSignal): Promise<void> {
  const { database, jobs, keys, clock } = site.kernel;
  const queueAgain = async (afterMs: number | null) => {
    const options = afterMs === null ? {} : { startAfter: new Date(clock.now().getTime() + afterMs) };
    await database.transaction((tx) => jobs.enqueue(tx, RUN_JOB, { runId }, options));
  };
  const until = performance.now() + TURN_MS;
  while (!signal.aborted && performance.now() < until) {
    if (keys.isSealed) return queueAgain(WHILE_SEALED_MS);
    const rules = { leaseSeconds: CLAIM_SECONDS, mostPerTarget: MOST_PER_TARGET };
    const claimed = await database.swiftTransaction((tx) => claimItem(tx, runId, rules));
    if (claimed === null) return;
    const { run, credentialId } = claimed;
    if (credentialId === null) {
      // Others are at the rest, or its machines are busy: somebody has to look again, in case those others die.
      if (await hasItems(database.db, runId)) await queueAgain(AGAIN_AFTER_MS);
      return;
    }
    const isReplaced = await orReplaced(verifyItem(site, run, credentialId, signal), () => queueAgain(null));
    if (isReplaced) return;
  }
  // Also when the server stops: another process goes on with it.
  await queueAgain(null);
}

/** Whether `work` took so long that a replacement was called for and came. */
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

async function verifyItem(site: Site, run: RunRow, credentialId: string, signal: AbortSignal): Promise<void> {
  const { kernel } = site;
  const wish: Wish = {
    credentialId,
    lock: lockAnyCredential,
    askedBy: null,
    trigger: run.scope === "scheduled" ? "scheduled" : "bulk",
    isAutomatic: run.scope !== "selected",
    run: { id: run.id, requestedBy: run.requested_by?.name ?? null },
    signal,
  };
  const count = async (tx: Tx, as: Counted): Promise<void> => {
    const counted = await countItem(tx, run.id, credentialId, as, kernel.clock.now());
    if (counted !== null && isWorthTelling(counted)) await kernel.events.publish(tx, progressed(counted));
  };
  const countTried = async (tx: Tx, { outcome, code }: AttemptRow): Promise<void> => {
    // Cut short by the end of this server: it stays claimed until another process takes it up.
    if (code === "cancelled") return;
    await count(tx, outcome === "verified" ? "verified" : outcome === "unsupported" ? "untried" : "failed");
  };
  const verdict = await verify(site, wish, byItself(kernel, countTried));
  if (verdict.kind === "tried") return;
  await kernel.database.transaction((tx) => count(tx, verdict.kind === "held-back" ? "failed" : "untried"));
}

/** At the end, and at so many steps on the way. */
export function isWorthTelling(run: Pick<RunRow, "status" | "done" | "total">): boolean {
  return run.status !== "running" || run.done % Math.max(1, Math.floor(run.total / STEPS)) === 0;
}
