// The scheduled jobs of rotation.
import { checkDependents } from "./dependents/bind-dependents.ts";
import { checkReconcilers } from "./reconcile/check-reconcilers.ts";
import { endAbandonedRuns } from "./runs/count-ended.ts";
import { startDue } from "./schedule/start-due.ts";
import type { RotationContext } from "./context.ts";

const DUE_JOB = "rotation.start-due";
const DEPENDENTS_JOB = "rotation.check-dependents";
const READINESS_JOB = "rotation.check-reconcilers";

export function defineJobs(context: RotationContext): void {
  const { jobs } = context.kernel;
  jobs.define(DUE_JOB, { schedule: "* * * * *", policy: "exclusive" }, async ({ signal }) => {
    await startDue(context, signal);
    await endAbandonedRuns(context);
  });
  jobs.define(READINESS_JOB, { schedule: "7 * * * *", policy: "exclusive" }, ({ signal }) =>
    checkReconcilers(context, signal),
  );
  jobs.define(DEPENDENTS_JOB, { schedule: "37 * * * *", policy: "exclusive" }, ({ signal }) =>
    checkDependents(context.kernel, signal),
  );
}

/**
 * Queues the schedule at start-up, so that rotations that became due while no process was running do not wait another
 * minute.
 */
export async function queueDue({ kernel }: RotationContext): Promise<void> {
  await kernel.database.transaction((tx) => kernel.jobs.enqueue(tx, DUE_JOB, {}));
}
