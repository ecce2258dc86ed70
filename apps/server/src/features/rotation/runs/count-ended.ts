// Counts a run's rotations that have ended or stopped, and publishes its progress.
import type { Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { shouldReportProgress } from "#features/verification/index.ts";
import type { RotationRow } from "../rotation.store.ts";
import { countOne, deleteRun, endAbandoned } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import type { RotationContext } from "../context.ts";

export async function countEnded(
  context: RotationContext,
  tx: Tx,
  row: Pick<RotationRow, "id" | "run_id" | "outcome">,
  at: Date,
) {
  if (row.run_id === null) return;
  const run = await countOne(tx, row.id, row.outcome === "rotated", at);
  if (run === null) return;
  if (shouldReportProgress(run)) await context.kernel.events.publish(tx, progressed(run));
  if (run.status === "completed" && run.done === run.total) await notifyRunEnd(context, tx, run);
}

/** Much longer than `QUEUEING_TOLD_MS`, the interval at which an enqueuer reports. */
const FORSAKEN_AFTER_MS = 3_600_000;

/** Expires runs whose enqueuer died. The total becomes the number of rotations that the enqueuer had queued. */
export async function endAbandonedRuns({ kernel, notify }: RotationContext): Promise<void> {
  const now = kernel.clock.now();
  await kernel.database.transaction(async (tx) => {
    const runs = await endAbandoned(tx, new Date(now.getTime() - FORSAKEN_AFTER_MS), now);
    await kernel.events.publish(tx, ...runs.map(progressed));
    for (const run of runs) {
      if (run.total === 0) await deleteRun(tx, run.id);
      else await notifyRunEnd({ notify }, tx, run);
    }
  });
}

export const progressed = (run: RunRow): NewEvent => ({
  type: "rotation.run-progressed",
  audience: { users: [run.user_id] },
  data: { run_id: run.id, total: run.total, done: run.done, is_completed: run.status !== "running" },
});

/** Sends one notification for the whole run. */
export async function notifyRunEnd(
  context: Pick<RotationContext, "notify">,
  tx: Tx,
  { id, user_id, rotated, failed, total }: RunRow,
): Promise<void> {
  const secrets = total === 1 ? "1 secret" : `${total} secrets`;
  await context.notify(tx, {
    to: { users: [user_id] },
    type: "rotation_completed",
    title: `Rotation of ${secrets} finished`,
    message: failed === 0 ? "All rotations succeeded." : `${rotated} succeeded, ${failed} failed.`,
    severity: failed === 0 ? "low" : "medium",
    actionRequired: failed > 0,
    metadata: { run_id: id, rotated, failed },
    dedupeKey: id,
  });
}
