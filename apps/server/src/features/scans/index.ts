// Enhanced scans: read the files of discovery targets and report the secrets in them.
import type { Kernel } from "#kernel/kernel.ts";
import { endAbandonedScan, runScan } from "./run-scan.ts";
import { SCAN_JOB } from "./scans.ts";
import type { ScansContext } from "./scans.ts";
import { bindScans } from "./scans.routes.ts";
import { findAbandonedScans } from "./scans.store.ts";
import { startDueScans } from "./schedules.ts";

/** Each scan starts its own worker threads. */
const SCANS_AT_ONCE = 4;
const OF_ONE_USER = 2;
/** The longest `timeoutSeconds`, and an hour to store the results. */
const LONGEST_SECONDS = 86_400;

export function installScans(kernel: Kernel, parts: Omit<ScansContext, "kernel">): void {
  const context: ScansContext = { kernel, ...parts };
  bindScans(context);
  kernel.jobs.define(
    SCAN_JOB,
    { concurrency: SCANS_AT_ONCE, groupConcurrency: OF_ONE_USER, isTracked: true, timeout: LONGEST_SECONDS },
    (job) => runScan(context, job),
  );
  kernel.jobs.define("scans.start-due", { schedule: "* * * * *", policy: "exclusive" }, () => startDueScans(context));
  kernel.jobs.define("scans.end-abandoned", { schedule: "* * * * *", policy: "exclusive" }, async () => {
    for (const id of await findAbandonedScans(kernel.database.db)) await endAbandonedScan(context, id);
  });
}
