// Discovery: scans systems for accounts and records what they found.
import type { Kernel } from "#kernel/kernel.ts";
import type { DiscoveryContext } from "./discovery.ts";
import { rolePermissions } from "./discovery.policy.ts";
import { bindDiscovery } from "./discovery.routes.ts";
import { endAbandonedScan, runScan } from "./scans/run-scan.ts";
import { SCAN_JOB } from "./scans/scans.ts";
import { findAbandonedScans } from "./scans/scans.store.ts";

/** The most scans that run at once in one process, in total and of one user, so that a few users cannot take all. */
const SCANS_AT_ONCE = 32;
const OF_ONE_USER = 4;

export function installDiscovery(kernel: Kernel, parts: Omit<DiscoveryContext, "kernel">): void {
  const context: DiscoveryContext = { kernel, ...parts };
  kernel.authority.grant(rolePermissions);
  bindDiscovery(context);
  kernel.jobs.define(SCAN_JOB, { concurrency: SCANS_AT_ONCE, groupConcurrency: OF_ONE_USER, isTracked: true }, (job) =>
    runScan(context, job),
  );
  kernel.jobs.define("discovery.end-abandoned", { schedule: "* * * * *", policy: "exclusive" }, async () => {
    for (const id of await findAbandonedScans(kernel.database.db)) await endAbandonedScan(context, id);
  });
}

export { auditTarget, changed, mayNotManage, targetNotFound } from "./discovery.ts";
export { openCredential, readCredential, targetOf } from "./scans/credential.ts";
export type { CredentialRow } from "./scans/credential.ts";
export { obstacleToLogin } from "./scans/run-scan.ts";
export { lockManaged } from "./targets/change-targets.ts";
export { lockTarget, readTarget, updateTarget, visibleTargets } from "./targets/targets.store.ts";
export type { TargetRow } from "./targets/targets.store.ts";
