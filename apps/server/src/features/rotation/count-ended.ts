// Counts a rotation of a run that has ended or stopped, and tells how far the run is.
import type { Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { isWorthTelling } from "#features/verification/index.ts";
import type { RotationRow } from "./rotation.store.ts";
import { countOne, dropRun, endForsaken } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import type { Site } from "./site.ts";

export async function countEnded(site: Site, tx: Tx, row: Pick<RotationRow, "id" | "run_id" | "outcome">, at: Date) {
  if (row.run_id === null) return;
  const run = await countOne(tx, row.id, row.outcome === "rotated", at);
  if (run === null) return;
  if (isWorthTelling(run)) await site.kernel.events.publish(tx, progressed(run));
  if (run.status === "completed" && run.done === run.total) await tellEnd(site, tx, run);
}

/** Whoever queues says so much more often: `QUEUEING_TOLD_MS`. */
const FORSAKEN_AFTER_MS = 3_600_000;

/** Ends the runs whose server stopped while it was still queueing: what it had queued is all that they are. */
export async function endForsakenRuns({ kernel, notify }: Site): Promise<void> {
  const now = kernel.clock.now();
  await kernel.database.transaction(async (tx) => {
    const runs = await endForsaken(tx, new Date(now.getTime() - FORSAKEN_AFTER_MS), now);
    await kernel.events.publish(tx, ...runs.map(progressed));
    for (const run of runs) {
      if (run.total === 0) await dropRun(tx, run.id);
      else await tellEnd({ notify }, tx, run);
    }
  });
}

export const progressed = (run: RunRow): NewEvent => ({
  type: "rotation.run-progressed",
  audience: { users: [run.user_id] },
  data: { run_id: run.id, total: run.total, done: run.done, is_completed: run.status !== "running" },
});

/** Once for the whole run. */
export async function tellEnd(
  site: Pick<Site, "notify">,
  tx: Tx,
  { id, user_id, rotated, failed, total }: RunRow,
): Promise<void> {
  const secrets = total === 1 ? "1 secret" : `${total} secrets`;
  await site.notify(tx, {
    to: { users: [user_id] },
    type: "rotation_completed",
    title: `Changing ${secrets} has ended`,
    message: failed === 0 ? "All of them were changed." : `${rotated} were changed, ${failed} were not.`,
    severity: failed === 0 ? "low" : "medium",
    actionRequired: failed > 0,
    metadata: { run_id: id, rotated, failed },
    dedupeKey: id,
  });
}
