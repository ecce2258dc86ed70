// Puts a backup into an empty data folder: every file is checked as it is copied, and the database is started once.
import { existsSync } from "node:fs";
import { chown, lstat, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Log } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { CLUSTER } from "./backup.ts";
import { damaged, readManifest } from "./backup-manifest.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import { startEmbedded } from "./embedded.ts";
import type { Embedded } from "./embedded.ts";
import { copyHashed, flush, flushAll, forEachOfMany } from "./hashed-copy.ts";
import { prepareFolders } from "./folders.ts";
import type { Folders } from "./folders.ts";

export interface RestoreOptions {
  backup: string;
  dataFolder: string;
  /** Names in the data folder that may be there already. Files of the backup do not replace them. */
  kept: (name: string) => boolean;
  /** Looks at the restored database before it counts as restored. What it throws undoes the restore. */
  prove: (embedded: Embedded, manifest: BackupManifest) => Promise<void>;
  log: Log;
  /** It is looked at and thrown away: nothing has to survive a power cut. */
  isTemporary?: boolean;
  /** Told after each file how many of how many are copied. */
  progress?: (done: number, total: number) => Promise<void>;
  /** When it is aborted, the restore is given up. */
  signal?: AbortSignal;
}

/**
 * Throws `StartError` with one sentence for a backup that is damaged and for a data folder that is not empty. The
 * cluster is put into its place in one step, after all of it was checked and flushed.
 */
export async function restore(options: RestoreOptions): Promise<BackupManifest> {
  const backup = resolve(options.backup);
  const manifest = await readManifest(backup);
  await requireComplete(backup, manifest);
  await requireEmpty(options.dataFolder, options.kept);
  const folders = prepareFolders(options.dataFolder);
  await putInPlace(backup, manifest, folders, options);
  try {
    const embedded = await startEmbedded({ dataFolder: options.dataFolder, log: options.log });
    try {
      await options.prove(embedded, manifest);
    } finally {
      await embedded.stop();
    }
    await putBeside(backup, manifest, options.dataFolder);
  } catch (error) {
    await rm(folders.cluster, { recursive: true, force: true });
    throw error;
  }
  return manifest;
}

/** Looks only at names and sizes, which takes no time; contents are checked as they are copied. */
async function requireComplete(backup: string, manifest: BackupManifest): Promise<void> {
  const paths = new Set(manifest.files.map(({ path }) => path));
  const present = await readdir(backup, { recursive: true, withFileTypes: true });
  for (const entry of present) {
    const path = join(entry.parentPath, entry.name).slice(backup.length + 1);
    if (entry.isDirectory() || path === "manifest.json" || paths.has(path)) continue;
    throw new StartError(`The backup ${backup} holds ${path}, which its manifest does not name: remove it first.`);
  }
  for (const { path, size } of manifest.files) {
    const found = await lstat(join(backup, path)).catch(() => null);
    if (found === null) throw new StartError(`The backup ${backup} is not complete: ${path} is missing.`);
    if (!found.isFile() || found.size !== size) throw damaged(backup, path);
  }
}

async function requireEmpty(dataFolder: string, kept: (name: string) => boolean): Promise<void> {
  if (!existsSync(dataFolder)) return;
  if (existsSync(join(dataFolder, CLUSTER))) {
    throw new StartError(`There is a database in ${dataFolder}. Stop its Strongroom and move it away first.`);
  }
  const others = (await readdir(dataFolder)).filter((name) => name !== dirname(CLUSTER) && !kept(name));
  if (others.length === 0) return;
  throw new StartError(
    `The data folder ${dataFolder} is not empty (${others.slice(0, 3).join(", ")}): move it away first.`,
  );
}

async function putInPlace(
  backup: string,
  manifest: BackupManifest,
  folders: Folders,
  { progress, signal, isTemporary }: RestoreOptions,
): Promise<void> {
  // The name that the supervisor gives to clusters in the making, so that one that was left behind is removed by it.
  const fresh = `${folders.cluster}.new-${process.pid}`;
  const inside = (path: string): string => join(fresh, path.slice(CLUSTER.length));
  const belongs = (path: string): boolean => path === CLUSTER || path.startsWith(`${CLUSTER}/`);
  const handOver = async (path: string): Promise<void> => {
    if (folders.user.isDropped) await chown(path, folders.user.uid, folders.user.gid);
  };
  try {
    const inner = manifest.folders.filter(belongs).toSorted();
    for (const folder of inner) {
      await mkdir(inside(folder), { mode: 0o700 });
      await handOver(inside(folder));
    }
    const files = manifest.files.filter(({ path }) => belongs(path));
    let copied = 0;
    await forEachOfMany(files, async ({ path, sha256 }) => {
      signal?.throwIfAborted();
      const written = await copyHashed(join(backup, path), inside(path));
      if (written?.sha256 !== sha256) throw damaged(backup, path);
      await handOver(inside(path));
      await progress?.((copied += 1), files.length);
    });
    if (isTemporary !== true) await flushAll([...files.map(({ path }) => path), ...inner].map(inside));
    await rename(fresh, folders.cluster);
    await flush(folders.home);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** What lies beside the database. INVARIANT: what is there already stays: it may know more than the backup. */
async function putBeside(backup: string, manifest: BackupManifest, dataFolder: string): Promise<void> {
  const { uid, gid } = await stat(dataFolder);
  const isRoot = process.geteuid?.() === 0;
  for (const { path, sha256 } of manifest.files) {
    if (path.startsWith(`${CLUSTER}/`)) continue;
    const target = join(dataFolder, path);
    if (existsSync(target)) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const written = await copyHashed(join(backup, path), target);
    if (written?.sha256 !== sha256) {
      await rm(target, { force: true });
      throw damaged(backup, path);
    }
    if (isRoot) for (const each of [dirname(target), target]) await chown(each, uid, gid);
    await flushAll([target, dirname(target), dataFolder]);
  }
}
