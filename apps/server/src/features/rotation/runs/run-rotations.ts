// Starts, reads and cancels runs, which rotate several accounts and credentials and check each one separately.
import type {
  ReplyOf,
  RotationRun,
  RotationRunId,
  cancelRotationRun,
  listRotationRuns,
  readRotationRun,
  rotateSeveral as severalEndpoint,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { credentialNotFound, lockCredential } from "#features/vault/index.ts";
import { audiencesOf } from "#features/verification/index.ts";
import { methodFor, newRotation, obstacleToRotation } from "../enqueue-rotation.ts";
import { progressed, notifyRunEnd } from "./count-ended.ts";
import { readConditions } from "../schedule/due.store.ts";
import { changed } from "../rotation.ts";
import { endCancelled, insertRotations, openOfRun, readRotations } from "../rotation.store.ts";
import {
  cancelRun,
  countCancelled,
  deleteRun,
  lockRunning,
  insertRun,
  listRunning,
  recordQueueing,
  readRun,
  setTotal,
} from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import type { RotationContext } from "../context.ts";

type Several = SteppedCall<typeof severalEndpoint>;
type Reply = ReplyOf<typeof severalEndpoint>;

/**
 * Queueing can take hours when many accounts are locked. The enqueuer reports at this interval, so that the run does
 * not expire.
 */
const QUEUEING_TOLD_MS = 60_000;

export async function rotateSeveral(context: RotationContext, call: Several): Promise<Reply> {
  const { account_ids, credential_ids } = call.body;
  const ids = [...new Set<string>([...account_ids, ...credential_ids])];
  const accounts = new Set<string>(account_ids);
  const { id: userId } = call.actor;
  const at = context.kernel.clock.now();
  const run = { id: newId(at.getTime()), user_id: userId, total: ids.length, started_at: at };
  call.note({ target: { type: "rotation-run", id: run.id } });
  const { database, events, log } = context.kernel;
  await database.transaction((tx) => insertRun(tx, run));
  const failed: Reply["failed"] = [];
  let reportedAt = at;
  for (const id of ids) {
    const now = context.kernel.clock.now();
    if (now.getTime() - reportedAt.getTime() >= QUEUEING_TOLD_MS) {
      // A failure here must not stop the run; the next report retries.
      try {
        await database.transaction((tx) => recordQueueing(tx, run.id, now));
        reportedAt = now;
      } catch (error) {
        log.warn({ err: error, run: run.id }, "could not record that a run is being queued");
      }
    }
    const isFirst = id === ids[failed.length];
    const failure = await queueOne(context, call, { id, isAccount: accounts.has(id), isFirst, runId: run.id, at });
    if (failure !== null) failed.push({ id, code: failure.code, message: failure.message });
  }
  const queued = ids.length - failed.length;
  const run_id = queued === 0 ? null : (run.id as RotationRunId);
  const reply: Reply = { run_id, queued, failed, message: messageOf(queued, failed.length) };
  const work = async (tx: Tx): Promise<Reply> => {
    call.note({ details: { queued, failed: failed.length } });
    if (queued === 0) await deleteRun(tx, run.id);
    else {
      const now = await setTotal(tx, run.id, queued, context.kernel.clock.now());
      await events.publish(tx, progressed(now));
      // All rotations may have ended already.
      if (now.status === "completed") await notifyRunEnd(context, tx, now);
    }
    return reply;
  };
  return call.commit(work, (stored) => stored);
}

interface Item {
  id: string;
  isAccount: boolean;
  /**
   * Whether this item is the first to be queued. The first item wakes the workers, which then continue without further
   * events.
   */
  isFirst: boolean;
  runId: string;
  at: Date;
}

const FAILED = refuse(500, "rotation.not-begun", "Internal error. Start this rotation again.");

/**
 * Returns null when the rotation was queued. Uses one transaction per item, so that many accounts are never locked
 * together. A failure affects no other item, and the run still ends.
 */
async function queueOne(context: RotationContext, call: Several, item: Item): Promise<Refusal | null> {
  const { database, log } = context.kernel;
  try {
    await database.transaction((tx) => queueHeld(context, call, tx, item));
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    log.error({ err: error, credential: item.id }, "a rotation could not be queued");
    return FAILED;
  }
}

const RUN_CANCELLED = refuse(409, "rotation.run-cancelled", "The run was stopped before this rotation was queued.");

/** The event that wakes the workers. Its audience is empty, so no client receives it. */
const WAKING = { type: "rotation.queued", audience: { users: [] }, data: { state: "queued" } };

async function queueHeld(
  context: RotationContext,
  call: Several,
  tx: Tx,
  { id, isAccount, isFirst, runId, at }: Item,
): Promise<void> {
  const { actor } = call;
  const row = isAccount
    ? await context.rotated.hold(tx, actor, id, "manage_secret")
    : await lockCredential(tx, actor, id);
  if (row === null) throw credentialNotFound();
  const circumstances = await readConditions(tx, id);
  const hindered = obstacleToRotation(row, circumstances, null);
  if (hindered !== null) throw hindered;
  const by = methodFor(circumstances, null);
  const requester = { id: actor.id, name: actor.name };
  // The run stays locked until this rotation is queued, so that a cancellation of the run finds it.
  if (!(await lockRunning(tx, runId))) throw RUN_CANCELLED;
  const inserted = await insertRotations(tx, [newRotation(row, { by, because: "bulk", requester, runId }, at)]);
  if (inserted.length === 0) throw refuse(409, "rotation.open", `A rotation of "${row.name}" is already in progress.`);
  if (isFirst) await context.kernel.events.publish(tx, WAKING);
}

function messageOf(queued: number, failed: number): string {
  const secrets = queued === 1 ? "1 secret" : `${queued} secrets`;
  const sentence = queued === 0 ? "No rotation started" : `Rotation of ${secrets} started`;
  return failed === 0 ? sentence : `${sentence}, ${failed} cannot be rotated`;
}

export async function listOwnRuns(
  call: Call<typeof listRotationRuns>,
  db: Db,
): Promise<ReplyOf<typeof listRotationRuns>> {
  return { runs: (await listRunning(db, call.actor.id)).map(toRun) };
}

export async function readOwnRun(call: Call<typeof readRotationRun>, db: Db): Promise<RotationRun> {
  const run = await readRun(db, call.actor.id, call.params.id);
  if (run === null) throw runNotFound();
  return toRun(run);
}

export async function cancelOwnRun(
  context: RotationContext,
  call: Call<typeof cancelRotationRun>,
  tx: Tx,
): Promise<RotationRun> {
  const { id } = call.params;
  call.note({ target: { type: "rotation-run", id } });
  const at = context.kernel.clock.now();
  const cancelled = await cancelRun(tx, call.actor.id, id, at);
  if (cancelled === null) {
    if ((await readRun(tx, call.actor.id, id)) === null) throw runNotFound();
    throw refuse(409, "rotation.run-ended", "This rotation run has already ended.");
  }
  const message = `${call.actor.name} stopped the run before anything was sent.`;
  const ended = await endCancelled(tx, await openOfRun(tx, id), message, at);
  const run = await countCancelled(tx, id, ended);
  const rows = await readRotations(tx, ended);
  const audiences = await audiencesOf(context, tx, rows);
  const events = rows.map((row, index) => changed(row, row.state, row.message, audiences[index]!));
  await context.kernel.events.publish(tx, ...events, progressed(run));
  call.note({ details: { done: run.done, total: run.total } });
  return toRun(run);
}

const runNotFound = (): Refusal => refuse(404, "rotation.run-not-found", "Rotation run not found");

function toRun({ id, status, total, done, rotated, failed, started_at, completed_at }: RunRow): RotationRun {
  return {
    id: id as RotationRunId,
    status,
    total,
    done,
    rotated,
    failed,
    started_at: started_at.toISOString(),
    completed_at: completed_at?.toISOString() ?? null,
  };
}
