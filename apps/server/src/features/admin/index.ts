// What an administrator looks after: how the system is, its jobs, its keys, its backups.
import type { HealthFeature } from "#features/health/index.ts";
import type { Embedded } from "#kernel/embedded/embedded.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Vault } from "#kernel/keys/open-key-ring.ts";
import { defineBackupJob, tidy } from "./admin.jobs.ts";
import { grants } from "./admin.policy.ts";
import { bindAdmin } from "./admin.routes.ts";
import type { KeySite } from "./root-keys.ts";
import type { RestoreDeps } from "./restored-database.ts";
import { createSignsOfLife } from "./sign-of-life.ts";

export interface AdminDeps {
  health: HealthFeature;
  vault: Vault;
  signIn: KeySite["signIn"];
  mail: { readonly isConfigured: boolean };
  /** Null with DATABASE_URL. */
  embedded: Pick<Embedded, "administration"> | null;
  restores: RestoreDeps;
}

export interface AdminFeature {
  /** Removes what a process that was killed left of a backup or a drill. Before the jobs begin: no other is at work then. */
  tidy(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function installAdmin(kernel: Kernel, { embedded, mail, ...deps }: AdminDeps): AdminFeature {
  const signs = createSignsOfLife(kernel);
  const administration = embedded?.administration ?? null;
  kernel.authority.grant(grants);
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

export { createRestoreWatch } from "./restored-database.ts";
export type { RestoreDeps } from "./restored-database.ts";
