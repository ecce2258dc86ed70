// The background job that makes backups and runs restore drills. Neither changes the live database.
import type { DrillFinding } from "@strongroom/contract";
import { SealError, parseSealRecord } from "@strongroom/keys";
import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import { backUp } from "#kernel/embedded/backup.ts";
import { UnauthenticatedBackup, authenticate, readManifest } from "#kernel/embedded/backup-manifest.ts";
import type { BackupManifest, FindMac } from "#kernel/embedded/backup-manifest.ts";
import { restore } from "#kernel/embedded/restore.ts";
import type { Job } from "#kernel/jobs/run-job.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { findMacOfServer } from "#kernel/keys/find-backup-mac.ts";
import { readSealRecord } from "#kernel/keys/kek-store.ts";
import { StartError } from "#kernel/start-error.ts";
import { backupName, hasRoom } from "./admin.policy.ts";
import { endLostDrills, readDatabaseFacts, updateDrill } from "./admin.store.ts";
import { BACKUP_JOB, removeUnfinished, sizeOf } from "./backups.ts";
import type { BackupOrder, BackupContext } from "./backups.ts";
import { examineRestored } from "./restore-drill.ts";
import { roomAt } from "./system-facts.ts";

const LONGEST_SECONDS = 6 * 3600;
/** Copying takes this share of a drill's progress, in percent. */
const COPYING = 40;

export function defineBackupJob(context: BackupContext): void {
  const options = { policy: "exclusive", isTracked: true, retryLimit: 0, timeout: LONGEST_SECONDS } as const;
  context.kernel.jobs.define<BackupOrder>(BACKUP_JOB, options, async (job) => {
    const { data } = job;
    await endLostDrills(
      context.kernel.database.db,
      data.kind === "drill" ? data.drill : null,
      context.kernel.clock.now(),
    );
    await (data.kind === "backup" ? back(context, job) : drill(context, job, data));
  });
}

const drillFolder = ({ config }: Kernel): string => join(config.dataFolder, "drills");

/** Does nothing when DATABASE_URL is set: only the process that runs the embedded database makes backups. */
export async function tidy({ kernel, administration }: BackupContext): Promise<void> {
  if (administration === null) return;
  await endLostDrills(kernel.database.db, null, kernel.clock.now());
  try {
    await rm(drillFolder(kernel), { recursive: true, force: true });
    await removeUnfinished(kernel);
  } catch (error) {
    kernel.log.warn({ err: error }, "could not remove the files of an interrupted backup or drill");
  }
}

async function back(context: BackupContext, job: Job<BackupOrder>): Promise<void> {
  const { kernel, administration } = context;
  const { config, database, clock } = kernel;
  if (administration === null) throw new Error("there is no embedded database to back up");
  const name = backupName(clock.now());
  const target = { type: "backup", id: name };
  try {
    await mkdir(config.backupFolder, { recursive: true, mode: 0o700 });
    await removeUnfinished(kernel);
    await requireRoom(config.backupFolder, (await readDatabaseFacts(database.db)).size_bytes);
    const manifest = await backUp({
      administration,
      dataFolder: config.dataFolder,
      target: join(config.backupFolder, name),
      mayLieWithin: true,
      beside: ["audit"],
      signal: job.signal,
      progress: (done, total) => job.progress(done, total),
      findMac: findMacOfServer(kernel),
      async seal() {
        const stored = await readSealRecord(database);
        return stored === null ? null : parseSealRecord(stored);
      },
    });
    const details = { made_at: manifest.made_at, files: manifest.files.length, bytes: sizeOf(manifest) };
    await record(kernel, "backup.completed", { target, details });
  } catch (error) {
    const reason = job.signal.aborted
      ? "cancelled"
      : error instanceof StartError || error instanceof SealError
        ? error.message
        : "failed";
    await record(kernel, "backup.completed", { target, result: "failure", reason });
    throw error;
  }
}

async function drill(
  { kernel }: BackupContext,
  job: Job<BackupOrder>,
  { backup, drill: id }: Extract<BackupOrder, { kind: "drill" }>,
): Promise<void> {
  const { config, database, clock } = kernel;
  const drills = drillFolder(kernel);
  const from = join(config.backupFolder, backup);
  const findings: DrillFinding[] = [];
  const add = async (finding: DrillFinding): Promise<void> => {
    findings.push(finding);
    await updateDrill(database.db, id, { findings });
  };
  const copied = (done: number, total: number) => job.progress(Math.floor((done / total) * COPYING), 100);
  try {
    // A drill that was killed may have left files.
    await rm(drills, { recursive: true, force: true });
    const findMac = findMacOfServer(kernel);
    const manifest = await authenticated(from, findMac);
    await add({ what: "authenticity", is_good: true, says: "Authenticated with the root key and unchanged" });
    await updateDrill(database.db, id, { made_at: new Date(manifest.made_at), ended_at: null });
    await requireRoom(config.dataFolder, sizeOf(manifest));
    await restore({
      backup: from,
      dataFolder: join(drills, id),
      findMac,
      kept: () => false,
      apartFrom: config.dataFolder,
      log: kernel.log,
      signal: job.signal,
      progress: copied,
      async prove(embedded) {
        await add({
          what: "files",
          is_good: true,
          says: `${manifest.files.length.toLocaleString("en")} files, all unchanged`,
        });
        const progress = (part: number) => job.progress(COPYING + Math.floor(part * (100 - COPYING)), 100);
        await examineRestored({ kernel, embedded, manifest, from, signal: job.signal, add, progress });
      },
    });
  } catch (error) {
    if (job.signal.aborted) {
      await updateDrill(database.db, id, { ended_at: clock.now() });
      throw error;
    }
    const isPlain = error instanceof StartError || error instanceof SealError;
    if (!isPlain) kernel.log.error({ err: error, backup }, "a restore drill failed");
    const says = isPlain ? error.message : "The drill failed unexpectedly. See the server log.";
    const what = (["authenticity", "files", "database"] as const)[Math.min(findings.length, 2)]!;
    await add({ what, is_good: false, says });
  } finally {
    await rm(drills, { recursive: true, force: true });
  }
  const isGood = findings.length > 0 && findings.every((finding) => finding.is_good);
  await updateDrill(database.db, id, { ended_at: clock.now(), is_good: isGood });
  const bad = findings.find((finding) => !finding.is_good);
  await record(kernel, "backup.drilled", {
    target: { type: "backup", id: backup },
    ...(bad === undefined ? {} : { result: "failure" as const, reason: bad.says.slice(0, 300) }),
    details: { drill: id },
  });
}

/**
 * INVARIANT: a drill starts nothing that does not authenticate. It also refuses a genuine backup under another backup's
 * name, because an old state could pass for a new one.
 */
async function authenticated(folder: string, findMac: FindMac): Promise<BackupManifest> {
  const found = await readManifest(folder);
  if (!found.isAuthenticable) {
    throw new UnauthenticatedBackup(
      "This backup was made by an earlier version and cannot be authenticated. Make a new backup.",
    );
  }
  await authenticate(folder, found, findMac);
  const { name } = found.manifest;
  if (name !== basename(folder)) {
    throw new StartError(`This is the backup ${name} under another name. Check who can write to the backup folder.`);
  }
  return found.manifest;
}

async function requireRoom(folder: string, size: number): Promise<void> {
  const room = await roomAt(folder);
  if (room === null || hasRoom(room.free, size)) return;
  const inGb = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new StartError(`Not enough disk space: ${inGb(size)} needed, ${inGb(room.free)} free.`);
}

async function record({ database, clock }: Kernel, event: string, note: AuditNote): Promise<void> {
  await database.transaction((tx) => appendAudit(tx, [systemEntry(event, "backup", note, clock.now())]));
}
