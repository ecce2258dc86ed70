// Discovery: scans systems for accounts and records what they found.
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { RotationFeature } from "#features/rotation/index.ts";
import type { SecretsFeature } from "#features/secrets/index.ts";
import type { DiscoveryContext } from "./discovery.ts";
import { rolePermissions } from "./discovery.policy.ts";
import { bindDiscovery } from "./discovery.routes.ts";
import { ONBOARDING_JOB } from "./onboarding/begin-onboarding.ts";
import { openOnboardingOf } from "./onboarding/onboarding.store.ts";
import { ONBOARDING_RESUME_JOB, settle, sweepOnboardings, workOnboardings } from "./onboarding/work-onboarding.ts";
import { endAbandonedScan, runScan } from "./scans/run-scan.ts";
import { endAbandonedRange, runRange } from "./ranges/run-range.ts";
import { RANGE_JOB } from "./ranges/ranges.ts";
import { findAbandonedRangeScans } from "./ranges/ranges.store.ts";
import { SCAN_JOB } from "./scans/scans.ts";
import { findAbandonedScans } from "./scans/scans.store.ts";
import { startDueScans } from "./scans/start-due.ts";
import { recordDay } from "./trends.ts";

/** The maximum number of scans that run concurrently in one process, in total and for one user. */
const SCANS_AT_ONCE = 32;
const OF_ONE_USER = 4;
/** Range scans are long, and each has its own rate. */
const RANGES_AT_ONCE = 4;
const RANGES_OF_ONE_USER = 1;
const RANGE_SECONDS = 86_400;

interface Deps extends Omit<DiscoveryContext, "kernel" | "firstRotations"> {
  secrets: Pick<SecretsFeature, "onLoginChanged">;
  rotation: Pick<RotationFeature, "firstRotations" | "onSettled">;
}

export function installDiscovery(kernel: Kernel, { secrets, rotation, ...parts }: Deps): void {
  const context: DiscoveryContext = { kernel, ...parts, firstRotations: rotation.firstRotations };
  kernel.authority.grant(rolePermissions);
  bindDiscovery(context);
  kernel.jobs.define(SCAN_JOB, { concurrency: SCANS_AT_ONCE, groupConcurrency: OF_ONE_USER, isTracked: true }, (job) =>
    runScan(context, job),
  );
  installOnboarding(context, { secrets, rotation });
  kernel.jobs.define("discovery.end-abandoned", { schedule: "* * * * *", policy: "exclusive" }, async () => {
    for (const id of await findAbandonedScans(kernel.database.db)) await endAbandonedScan(context, id);
    for (const id of await findAbandonedRangeScans(kernel.database.db)) await endAbandonedRange(context, id);
  });
  kernel.jobs.define("discovery.start-due", { schedule: "* * * * *", policy: "exclusive" }, () =>
    startDueScans(context),
  );
  kernel.jobs.define("discovery.record-day", { schedule: "55 23 * * *", policy: "exclusive" }, () =>
    recordDay(kernel.database.db, kernel.clock.now()),
  );
  const ranges = {
    concurrency: RANGES_AT_ONCE,
    groupConcurrency: RANGES_OF_ONE_USER,
    timeout: RANGE_SECONDS,
    retryLimit: 5,
    isTracked: true,
  } as const;
  kernel.jobs.define(RANGE_JOB, ranges, (job) => runRange(context, job));
}

export { auditTarget, changed, mayNotManage, targetNotFound } from "./discovery.ts";
export { loginOf } from "./accounts/discovered.store.ts";
export { openCredential, readCredential, targetOf } from "./scans/credential.ts";
export type { CredentialRow } from "./scans/credential.ts";
export { obstacleToLogin } from "./scans/run-scan.ts";
export { SCAN_KEYS, countKey } from "./scans/scan-order.ts";
export { ofTargets } from "./scans/scans.store.ts";
export { startSeveral } from "./scans/start-several.ts";
export { lockManaged } from "./targets/change-targets.ts";
export { nextScan, requireSchedule, windowLeft } from "./targets/schedule.ts";
export { fewVisibleTargets, lockTarget, readTarget, updateTarget, visibleTargets } from "./targets/targets.store.ts";
export type { TargetRow } from "./targets/targets.store.ts";
/** A killed process loses no onboarding: each retry continues with those that are still planned. */
const ONBOARDING_RETRIES = 10;

function installOnboarding(context: DiscoveryContext, { secrets, rotation }: Pick<Deps, "secrets" | "rotation">): void {
  const { jobs } = context.kernel;
  const options = { concurrency: 4, groupConcurrency: 1, retryLimit: ONBOARDING_RETRIES };
  jobs.define(ONBOARDING_JOB, { ...options, isTracked: true }, (job) => workOnboardings(context, job));
  jobs.define<{ runId: string }>(ONBOARDING_RESUME_JOB, { policy: "exclusive" }, ({ data, signal }) =>
    workOnboardings(context, { id: data.runId, signal, progress: async () => {} }),
  );
  jobs.define("discovery.sweep-onboardings", { schedule: "* * * * *", policy: "exclusive" }, () =>
    sweepOnboardings(context),
  );
  const settleAccount = async (tx: Tx, accountId: string): Promise<void> => {
    const id = await openOnboardingOf(tx, accountId);
    if (id !== null) await settle(context, tx, id);
  };
  rotation.onSettled((tx, { credentialId }) => settleAccount(tx, credentialId));
  secrets.onLoginChanged((tx, { id, safe_id }) => (safe_id === null ? Promise.resolve() : settleAccount(tx, id)));
}
