// Starts the first rotation of accounts that discovery adds to safes, through their platform's reconcile account.
import type { Db, Tx } from "#kernel/db/database.ts";
import { lockSecret } from "#features/secrets/index.ts";
import { enqueueRotation, obstacleToRotation } from "./enqueue-rotation.ts";
import type { RotationContext } from "./context.ts";
import type { LocatedLogin } from "./reconcile/reconcile-scope.policy.ts";
import { endCancelled, readOpen, readRotation } from "./rotation.store.ts";
import type { RotationRequester, ShownRotation } from "./rotation.store.ts";
import { countEnded, notifyRunEnd, progressed } from "./runs/count-ended.ts";
import { deleteRun, insertRun, lockRunning, setTotal } from "./runs/runs.store.ts";
import { readPlatformConditions } from "./schedule/due.store.ts";

export interface FirstRotations {
  /** One sentence with the reason why the platform's reconcile account could not set the password; null if it could. */
  obstacle(db: Db, platformId: string, login: LocatedLogin & { name: string }): Promise<string | null>;
  /** Begins a run for several rotations, so that their requester gets one notification. Ends with `endRun`. */
  beginRun(tx: Tx, run: { id: string; userId: string; total: number }): Promise<void>;
  hasRun(tx: Tx, id: string): Promise<boolean>;
  endRun(tx: Tx, id: string, queued: number): Promise<void>;
  /** Throws 409 when the secret cannot be set. The caller has locked or just inserted the account. */
  enqueue(tx: Tx, accountId: string, requester: RotationRequester, runId: string | null): Promise<string>;
  /** Ends a rotation that has sent nothing. Returns false when it may have sent something. */
  cancel(tx: Tx, id: string, message: string): Promise<boolean>;
  read(db: Db, id: string): Promise<Pick<ShownRotation, "state" | "message" | "outcome"> | null>;
  /** The account's open rotation. */
  openOf(db: Db, accountId: string): Promise<string | null>;
}

export function createFirstRotations(context: RotationContext): FirstRotations {
  const { clock } = context.kernel;
  return {
    async obstacle(db, platformId, login) {
      const conditions = await readPlatformConditions(db, platformId);
      return obstacleToRotation(login, conditions, "reconcile-account")?.message ?? null;
    },
    async beginRun(tx, { id, userId, total }) {
      await insertRun(tx, { id, user_id: userId, total, started_at: clock.now() });
    },
    hasRun: lockRunning,
    async endRun(tx, id, queued) {
      if (!(await lockRunning(tx, id))) return;
      if (queued === 0) return deleteRun(tx, id);
      const run = await setTotal(tx, id, queued, clock.now());
      await context.kernel.events.publish(tx, progressed(run));
      // All rotations may have ended already.
      if (run.status === "completed") await notifyRunEnd(context, tx, run);
    },
    async enqueue(tx, accountId, requester, runId) {
      const row = (await lockSecret(tx, accountId))!;
      const because = runId === null ? "asked" : "bulk";
      const order = { by: "reconcile-account", because, requester, runId } as const;
      return (await enqueueRotation(context, tx, row, order)).id;
    },
    async cancel(tx, id, message) {
      const row = await readRotation(tx, id);
      if (row === null || row.step === "ended") return true;
      const at = clock.now();
      if (!(await endCancelled(tx, [id], message, at)).includes(id)) return false;
      await countEnded(context, tx, (await readRotation(tx, id))!, at);
      return true;
    },
    read: readRotation,
    openOf: async (db, accountId) => (await readOpen(db, accountId))?.id ?? null,
  };
}
