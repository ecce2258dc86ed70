// The Admin Console: system information, jobs, keys, backups and the review after a restore.
import type { HealthFeature } from "#features/health/index.ts";
import type { Embedded } from "#kernel/embedded/embedded.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { SealableKeyRing } from "#kernel/keys/open-key-ring.ts";
import { defineBackupJob, tidy } from "./admin.jobs.ts";
import { rolePermissions } from "./admin.policy.ts";
import { bindAdmin } from "./admin.routes.ts";
import type { RootKeyContext } from "./root-keys.ts";
import type { RestoreDeps } from "./restored-database.ts";
import { createHeartbeat } from "./heartbeat.ts";

export interface AdminDeps {
  health: HealthFeature;
  keyRing: SealableKeyRing;
  signIn: RootKeyContext["signIn"];
  mail: { readonly isConfigured: boolean };
  /** Null when DATABASE_URL is set. */
  embedded: Pick<Embedded, "administration"> | null;
  restores: RestoreDeps;
}

export interface AdminFeature {
  /**
   * Removes leftovers of a backup or drill whose process was killed. Call this before the jobs start, while no other
   * backup can run.
   */
  tidy(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function installAdmin(kernel: Kernel, { embedded, mail, ...deps }: AdminDeps): AdminFeature {
  const signs = createHeartbeat(kernel);
  const administration = embedded?.administration ?? null;
  kernel.authority.grant(rolePermissions);
  const backups = { kernel, administration };
  defineBackupJob(backups);
  bindAdmin(kernel, {
    kernel,
    administration,
    processId: signs.processId,
    isMailConfigured: mail.isConfigured,
    ...deps,
  });
  return { tidy: () => tidy(backups), start: signs.start, stop: signs.stop };
}

export { isWithin } from "./admin.policy.ts";
export { hasBackup } from "./backups.ts";
export { createRestoreWatch } from "./restored-database.ts";
export type { RestoreDeps } from "./restored-database.ts";
