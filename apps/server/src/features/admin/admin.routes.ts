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
import type { BackupContext } from "./backups.ts";
import { confirm, finish, readReview } from "./restore-review.ts";
import type { RestoreDeps } from "./restored-database.ts";
import { readJobs, readQueues, retry } from "./job-list.ts";
import { readKeyFacts, replaceRoot, replaceSigning } from "./root-keys.ts";
import type { RootKeyContext } from "./root-keys.ts";
import { readFacts } from "./system-facts.ts";
import type { SystemContext } from "./system-facts.ts";

export type AdminContext = SystemContext & RootKeyContext & BackupContext & { restores: RestoreDeps };

export function bindAdmin(kernel: Kernel, context: AdminContext): void {
  implement(kernel, readSystem, (_call, db) => readFacts(context, db));
  implement(kernel, readKeys, (_call, db) => readKeyFacts(context, db));
  implementInSteps(kernel, rekey, (call, db) => replaceRoot(context, call, db));
  implementInSteps(kernel, replaceSigningKey, (call, db) => replaceSigning(context, call, db));
  implement(kernel, listQueues, async (_call, db) => ({ data: await readQueues(kernel, db) }));
  implement(kernel, listJobs, (call, db) => readJobs(kernel, call, db));
  implement(kernel, retryJob, (call, tx) => retry(kernel, call, tx));
  implement(kernel, listBackups, (_call, db) => readBackups(context, db));
  implement(kernel, makeBackup, (_call, tx) => requestBackup(context, tx));
  implement(kernel, drillBackup, (call, tx) => requestDrill(context, call, tx));
  implementInSteps(kernel, deleteBackup, (call, db) => removeBackup(context, call, db));
  implement(kernel, readRestoreReview, (_call, db) => readReview(context.restores, db));
  implement(kernel, confirmTokens, (call, tx) => confirm(context.restores, call, tx));
  implement(kernel, finishRestoreReview, (call, tx) => finish(kernel, context.restores, call, tx));
  implement(kernel, cancelBackupWork, (call, tx) => cancelWork(context, call, tx));
}
