// Lists, requests and deletes backups from the Admin Console, and shows the job in progress.
import type { Backup, BackupList, BackupWork, RestoreDrill, deleteBackup, drillBackup } from "@strongroom/contract";
import { BackupName, JobId } from "@strongroom/contract";
import type { KeyRing } from "@strongroom/keys";
import { timingSafeEqual } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { manifestPath, readManifest } from "#kernel/embedded/backup-manifest.ts";
import type { FoundManifest } from "#kernel/embedded/backup-manifest.ts";
import type { Call, SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { findJobs } from "#kernel/jobs/queue-rows.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { backupInstead, folderWarning } from "./admin.policy.ts";
import { findDrills, findLatestRuns, insertDrill } from "./admin.store.ts";
import type { DrillRow, WorkRow } from "./admin.store.ts";

/** Backups and drills share one job name, so that only one of them runs at a time. */
export const BACKUP_JOB = "admin.backup";

export type BackupOrder = { kind: "backup" } | { kind: "drill"; backup: string; drill: string };

export interface BackupContext {
  kernel: Kernel;
  /** Superuser connection to the embedded database; null when DATABASE_URL is set. */
  administration: pg.ClientConfig | null;
}

const DRILLS_SHOWN = 200;

export async function readBackups(context: BackupContext, db: Db): Promise<BackupList> {
  const { config } = context.kernel;
  const instead = backupInstead(context.administration !== null);
  const [work] = await findLatestRuns(db, [BACKUP_JOB]);
  const underWay = workOf(work);
  const drills = (await findDrills(db, DRILLS_SHOWN)).map(shownDrill);
  const found = instead === null ? await listFolder(config.backupFolder, context.kernel.keys) : [];
  return {
    instead,
    folder: config.backupFolder,
    warning: instead === null ? folderWarning(config.dataFolder, config.backupFolder) : null,
    under_way: underWay && { ...underWay, kind: isDrilling(drills) ? "drill" : "backup" },
    last_error: work?.state === "failed" ? await errorOf(db, work.id) : null,
    last_drill: drills.find(({ ended_at: endedAt }) => endedAt !== null) ?? null,
    data: found.map((backup) => ({
      ...backup,
      last_drill: drills.find((each) => each.backup === backup.name) ?? null,
    })),
  };
}

const isDrilling = (drills: readonly RestoreDrill[]): boolean => drills[0]?.ended_at === null;

const workOf = (row: WorkRow | undefined): Omit<BackupWork, "kind"> | null =>
  row === undefined || (row.state !== "queued" && row.state !== "running")
    ? null
    : { id: JobId.parse(row.id), state: row.state, done: row.done, total: row.total };

async function errorOf(db: Db, id: string): Promise<string> {
  const [job] = await findJobs(db, { limit: 1, after: null, queues: null, state: null, id });
  return job?.error ?? "The server stopped before the job finished.";
}

const shownDrill = (row: DrillRow): RestoreDrill => ({
  id: row.id,
  backup: row.backup,
  made_at: row.made_at?.toISOString() ?? null,
  started_at: row.started_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  is_good: row.is_good,
  findings: row.findings,
});

/** Whether the folder has a complete backup: one with a manifest. */
export async function hasBackup(folder: string): Promise<boolean> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => BackupName.safeParse(name).success);
  const found = await Promise.all(
    names.map((name) =>
      stat(manifestPath(join(folder, name))).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/** Newest first. A folder without a manifest has the state `unfinished`. */
async function listFolder(folder: string, keys: KeyRing): Promise<Omit<Backup, "last_drill">[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => BackupName.safeParse(name).success);
  return Promise.all(
    names
      .toSorted()
      .toReversed()
      .map((name) => look(folder, name, keys)),
  );
}

async function look(folder: string, name: string, keys: KeyRing): Promise<Omit<Backup, "last_drill">> {
  const empty = { name, made_at: null, size_bytes: 0, files: 0, version: null, root_key_id: null };
  const written = await stat(manifestPath(join(folder, name))).catch(() => null);
  if (written === null) return { ...empty, state: "unfinished" };
  const found = await readManifest(join(folder, name)).catch(() => null);
  if (found === null) return { ...empty, state: "damaged" };
  const { manifest } = found;
  return {
    name,
    state: stateOf(found, name, keys),
    made_at: new Date(manifest.made_at).toISOString(),
    size_bytes: sizeOf(manifest),
    files: manifest.files.length,
    version: manifest.strongroom,
    root_key_id: manifest.root_key?.id ?? null,
  };
}

/**
 * The state of a backup, from its manifest only. The MAC cannot be checked while the vault is sealed or after the root
 * key was replaced; such a backup is shown as complete.
 */
function stateOf(found: FoundManifest, name: string, keys: KeyRing): Backup["state"] {
  if (!found.isAuthenticable) return "unauthenticated";
  if (found.manifest.name !== name) return "damaged";
  if (keys.isSealed || keys.rootKeyId !== found.manifest.root_key.id) return "complete";
  const mac = keys.backupMac(found.message);
  return mac.length === found.mac.length && timingSafeEqual(mac, found.mac) ? "complete" : "damaged";
}

export const sizeOf = ({ files }: FoundManifest["manifest"]): number => files.reduce((sum, { size }) => sum + size, 0);

/** Deletes unfinished backups. Call this only while no backup is running. */
export async function removeUnfinished({ config: { backupFolder: folder }, keys }: Kernel): Promise<void> {
  for (const { name, state } of await listFolder(folder, keys)) {
    if (state === "unfinished") await rm(join(folder, name), { recursive: true, force: true });
  }
}

export async function requestBackup(context: BackupContext, tx: Tx): Promise<{ job_id: JobId }> {
  requireEmbedded(context);
  return { job_id: await enqueue(context, tx, { kind: "backup" }) };
}

export async function requestDrill(context: BackupContext, call: Call<typeof drillBackup>, tx: Tx) {
  requireEmbedded(context);
  const { name } = call.params;
  await requireBackup(context, name);
  const id = newId();
  call.note({ target: { type: "backup", id: name }, details: { drill: id } });
  const jobId = await enqueue(context, tx, { kind: "drill", backup: name, drill: id });
  const startedBy = (call.actor satisfies Actor).id;
  await insertDrill(tx, { id, backup: name, started_at: context.kernel.clock.now(), started_by: startedBy });
  return { job_id: jobId };
}

/** Deletes a backup, whether finished or not. */
export async function removeBackup(context: BackupContext, call: SteppedCall<typeof deleteBackup>, db: Db) {
  requireEmbedded(context);
  const { name } = call.params;
  const { backupFolder } = context.kernel.config;
  if (!(await listFolder(backupFolder, context.kernel.keys)).some((each) => each.name === name)) throw notFound();
  call.note({ target: { type: "backup", id: name } });
  if (workOf((await findLatestRuns(db, [BACKUP_JOB]))[0]) !== null) throw busy();
  await call.commit(async () => {});
  await rm(join(backupFolder, name), { recursive: true, force: true });
  return { message: `Backup ${name} deleted` };
}

export async function cancelWork(
  { kernel }: BackupContext,
  call: Pick<Call, "note">,
  tx: Tx,
): Promise<{ message: string }> {
  const work = workOf((await findLatestRuns(tx, [BACKUP_JOB]))[0]);
  if (work === null || !(await kernel.jobs.cancel(tx, work.id))) {
    throw refuse(409, "backup.not-under-way", "No backup or drill is running.");
  }
  call.note({ target: { type: "job", id: work.id } });
  return { message: "Cancellation requested." };
}

async function enqueue({ kernel }: BackupContext, tx: Tx, order: BackupOrder): Promise<JobId> {
  const id = await kernel.jobs.enqueue(tx, BACKUP_JOB, order);
  if (id === null) throw busy();
  return JobId.parse(id);
}

async function requireBackup({ kernel }: BackupContext, name: string): Promise<void> {
  const found = await look(kernel.config.backupFolder, name, kernel.keys);
  if (found.state === "unfinished") throw notFound();
}

function requireEmbedded({ administration }: BackupContext): void {
  const instead = backupInstead(administration !== null);
  if (instead !== null) throw refuse(409, "backup.not-from-here", instead);
}

const busy = () => refuse(409, "backup.under-way", "Another backup or drill is running. Wait until it finishes.");
const notFound = () => refuse(404, "backup.not-found", "Backup not found");
