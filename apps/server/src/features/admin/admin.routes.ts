// Binds the calls of the Admin Console.
import {
  cancelBackupWork,
  confirmTokens,
  deleteBackup,
  drillBackup,
  finishRestoreReview,
  listBackups,
  listJobs,
  listQueues,
  makeBackup,
  readKeys,
  readRestoreReview,
  readSystem,
  rekey,
  replaceSigningKey,
  retryJob,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { cancelWork, readBackups, removeBackup, requestBackup, requestDrill } from "./backups.ts";
import type { BackupSite } from "./backups.ts";
import { confirm, finish, readReview } from "./restore-review.ts";
import type { RestoreDeps } from "./restored-database.ts";
import { readJobs, readQueues, retry } from "./job-list.ts";
import { readKeyFacts, replaceRoot, replaceSigning } from "./root-keys.ts";
import type { KeySite } from "./root-keys.ts";
import { readFacts } from "./system-facts.ts";
import type { SystemSite } from "./system-facts.ts";

export type AdminSite = SystemSite & KeySite & BackupSite & { restores: RestoreDeps };

export function bindAdmin(kernel: Kernel, site: AdminSite): void {
  implement(kernel, readSystem, (_call, db) => readFacts(site, db));
  implement(kernel, readKeys, (_call, db) => readKeyFacts(site, db));
  implementInSteps(kernel, rekey, (call, db) => replaceRoot(site, call, db));
  implementInSteps(kernel, replaceSigningKey, (call, db) => replaceSigning(site, call, db));
  implement(kernel, listQueues, async (_call, db) => ({ data: await readQueues(kernel, db) }));
  implement(kernel, listJobs, (call, db) => readJobs(kernel, call, db));
  implement(kernel, retryJob, (call, tx) => retry(kernel, call, tx));
  implement(kernel, listBackups, (_call, db) => readBackups(site, db));
  implement(kernel, makeBackup, (_call, tx) => requestBackup(site, tx));
  implement(kernel, drillBackup, (call, tx) => requestDrill(site, call, tx));
  implementInSteps(kernel, deleteBackup, (call, db) => removeBackup(site, call, db));
  implement(kernel, readRestoreReview, (_call, db) => readReview(site.restores, db));
  implement(kernel, confirmTokens, (call, tx) => confirm(site.restores, call, tx));
  implement(kernel, finishRestoreReview, (call, tx) => finish(kernel, site.restores, call, tx));
  implement(kernel, cancelBackupWork, (call, tx) => cancelWork(site, call, tx));
}
