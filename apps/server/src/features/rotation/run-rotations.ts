// Runs that change the secrets of several accounts and credentials: each is decided on its own.
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
import { credentialNotFound, lockCredential } from "#features/credentials/index.ts";
import { audiencesOf } from "#features/verification/index.ts";
import { hindrance, newRotation } from "./ask-rotation.ts";
import { progressed, tellEnd } from "./count-ended.ts";
import { readCircumstances } from "./due.store.ts";
import { changed } from "./rotation.ts";
import { endCancelled, insertRotations, openOfRun, readRotations } from "./rotation.store.ts";
import {
  cancelRun,
  countCancelled,
  dropRun,
  holdRunning,
  insertRun,
  listRunning,
  noteQueueing,
  readRun,
  setTotal,
} from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import type { Site } from "./site.ts";

type Several = SteppedCall<typeof severalEndpoint>;
type Reply = ReplyOf<typeof severalEndpoint>;

/** One that waits for others at each of many accounts may queue for hours; it is not taken for forsaken meanwhile. */
const QUEUEING_TOLD_MS = 60_000;

export async function rotateSeveral(site: Site, call: Several): Promise<Reply> {
  const { account_ids, credential_ids } = call.body;
  const ids = [...new Set<string>([...account_ids, ...credential_ids])];
  const accounts = new Set<string>(account_ids);
  const { id: userId } = call.actor;
  const at = site.kernel.clock.now();
  const run = { id: newId(at.getTime()), user_id: userId, total: ids.length, started_at: at };
  call.note({ target: { type: "rotation-run", id: run.id } });
  const { database, events, log } = site.kernel;
  await database.transaction((tx) => insertRun(tx, run));
  const failed: Reply["failed"] = [];
  let toldAt = at;
  for (const id of ids) {
    const now = site.kernel.clock.now();
    if (now.getTime() - toldAt.getTime() >= QUEUEING_TOLD_MS) {
      // Failing here must not leave the run without its end, as little as one that cannot be queued; it is told next time.
      try {
        await database.transaction((tx) => noteQueueing(tx, run.id, now));
        toldAt = now;
      } catch (error) {
        log.warn({ err: error, run: run.id }, "that a run is being queued could not be noted");
      }
    }
    const isFirst = id === ids[failed.length];
    const failure = await queueOne(site, call, { id, isAccount: accounts.has(id), isFirst, runId: run.id, at });
    if (failure !== null) failed.push({ id, code: failure.code, message: failure.message });
  }
  const queued = ids.length - failed.length;
  const run_id = queued === 0 ? null : (run.id as RotationRunId);
  const reply: Reply = { run_id, queued, failed, message: messageOf(queued, failed.length) };
  const work = async (tx: Tx): Promise<Reply> => {
    call.note({ details: { queued, failed: failed.length } });
    if (queued === 0) await dropRun(tx, run.id);
    else {
      const now = await setTotal(tx, run.id, queued, site.kernel.clock.now());
      await events.publish(tx, progressed(now));
      // All of them may be through by now.
      if (now.status === "completed") await tellEnd(site, tx, now);
    }
    return reply;
  };
  return call.commit(work, (stored) => stored);
}

interface Item {
  id: string;
  isAccount: boolean;
  /** The workers are woken; they go on by themselves. */
  isFirst: boolean;
  runId: string;
  at: Date;
}

const FAILED = refuse(500, "rotation.not-begun", "It failed on our side. Ask for this one again.");

/**
 * Null when it was queued. Each in a transaction of its own: many accounts in many safes are never held together. One that
 * fails leaves the others: what was queued before it goes on, and the run has to come to its end.
 */
async function queueOne(site: Site, call: Several, item: Item): Promise<Refusal | null> {
  const { database, log } = site.kernel;
  try {
    await database.transaction((tx) => queueHeld(site, call, tx, item));
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    log.error({ err: error, credential: item.id }, "a rotation could not be begun");
    return FAILED;
  }
}

const RUN_CANCELLED = refuse(409, "rotation.run-cancelled", "The run was stopped before it came to this one.");

/** Wakes the workers; no reader of the event stream sees it. */
const WAKING = { type: "rotation.queued", audience: { users: [] }, data: { state: "queued" } };

async function queueHeld(
  site: Site,
  call: Several,
  tx: Tx,
  { id, isAccount, isFirst, runId, at }: Item,
): Promise<void> {
  const { actor } = call;
  const row = isAccount ? await site.rotated.hold(tx, actor, id, "manage_secret") : await lockCredential(tx, actor, id);
  if (row === null) throw credentialNotFound();
  const circumstances = await readCircumstances(tx, id);
  const hindered = hindrance(row, circumstances, null);
  if (hindered !== null) throw hindered;
  const by = circumstances.rotate_as ?? "account";
  const asker = { id: actor.id, name: actor.name };
  // Held until this one is queued: whoever cancels the run meanwhile finds it.
  if (!(await holdRunning(tx, runId))) throw RUN_CANCELLED;
  const inserted = await insertRotations(tx, [newRotation(row, { by, because: "bulk", asker, runId }, at)]);
  if (inserted.length === 0) throw refuse(409, "rotation.open", `A rotation of "${row.name}" is open already.`);
  if (isFirst) await site.kernel.events.publish(tx, WAKING);
}

function messageOf(queued: number, failed: number): string {
  const secrets = queued === 1 ? "1 secret is" : `${queued} secrets are`;
  const sentence = queued === 0 ? "Nothing is changed" : `${secrets} being changed`;
  return failed === 0 ? sentence : `${sentence}, ${failed} cannot be`;
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

export async function cancelOwnRun(site: Site, call: Call<typeof cancelRotationRun>, tx: Tx): Promise<RotationRun> {
  const { id } = call.params;
  call.note({ target: { type: "rotation-run", id } });
  const at = site.kernel.clock.now();
  const cancelled = await cancelRun(tx, call.actor.id, id, at);
  if (cancelled === null) {
    if ((await readRun(tx, call.actor.id, id)) === null) throw runNotFound();
    throw refuse(409, "rotation.run-ended", "This rotation run has already ended.");
  }
  const message = `${call.actor.name} stopped the run before anything was sent.`;
  const ended = await endCancelled(tx, await openOfRun(tx, id), message, at);
  const run = await countCancelled(tx, id, ended);
  const rows = await readRotations(tx, ended);
  const audiences = await audiencesOf(site, tx, rows);
  const events = rows.map((row, place) => changed(row, row.state, row.message, audiences[place]!));
  await site.kernel.events.publish(tx, ...events, progressed(run));
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
