// The work of rotation that goes by the clock.
import { checkReconcilers } from "./check-reconcilers.ts";
import { endForsakenRuns } from "./count-ended.ts";
import { startDue } from "./start-due.ts";
import type { Site } from "./site.ts";

const DUE_JOB = "rotation.start-due";
const READINESS_JOB = "rotation.check-reconcilers";

export function defineJobs(site: Site): void {
  const { jobs } = site.kernel;
  jobs.define(DUE_JOB, { schedule: "* * * * *", policy: "exclusive" }, async ({ signal }) => {
    await startDue(site, signal);
    await endForsakenRuns(site);
  });
  jobs.define(READINESS_JOB, { schedule: "7 * * * *", policy: "exclusive" }, ({ signal }) =>
    checkReconcilers(site, signal),
  );
}

/** What became due while no process ran does not wait for the next minute. */
export async function queueDue({ kernel }: Site): Promise<void> {
  await kernel.database.transaction((tx) => kernel.jobs.enqueue(tx, DUE_JOB, {}));
}
