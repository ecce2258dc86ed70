// Restores a backup into an empty data folder: authenticates it, checks every file while copying, and starts the database once.
import { existsSync } from "node:fs";
import { chown, lchown, lstat, mkdir, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Log } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { CLUSTER } from "./backup.ts";
import { authenticate, damaged, readManifest } from "./backup-manifest.ts";
import type { Authenticated, BackupFile, FindMac } from "./backup-manifest.ts";
import { CONFIGURATION_FILES, RECOVERY_FILES, writeConfiguration } from "./configuration.ts";
import { startEmbedded } from "./embedded.ts";
import type { Embedded } from "./embedded.ts";
import { copyHashed, flush, flushAll, forEachOfMany, hashFile } from "./hashed-copy.ts";
import { prepareFolders } from "./folders.ts";
import type { Folders } from "./folders.ts";
import { requireHarmless } from "./harmless.ts";

export interface RestoreOptions {
  backup: string;
  dataFolder: string;
  /** Finds the root key that authenticates the manifest. */
  findMac: FindMac;
  /** Also accepts a backup of an earlier version, which has no MAC. */
  acceptUnauthenticated?: boolean;
  /** Names in the data folder that may already exist. Files from the backup do not replace them. */
  kept: (name: string) => boolean;
  /** Checks the restored database before the restore completes. If it throws, the restore is rolled back. */
  prove: (embedded: Embedded, backup: Authenticated) => Promise<void>;
  log: Log;
  /**
   * For a temporary database, which need not survive a power cut. Its server runs with minimal privileges and without access to
   * the given live data folder.
   */
  apartFrom?: string;
  /** Called after each file with the number of copied files and the total. */
  progress?: (done: number, total: number) => Promise<void>;
  /** Aborts the restore. */
  signal?: AbortSignal;
}

/**
 * Restores a backup. Throws a one-sentence `StartError` for a damaged or unauthenticated backup, and for a data folder that is
 * not empty. The cluster is moved into place in one step, after everything was checked and flushed.
 */
export async function restore(options: RestoreOptions): Promise<Authenticated> {
  const backup = resolve(options.backup);
  const found = await readManifest(backup);
  const authenticated = await authenticate(backup, found, options.findMac, options.acceptUnauthenticated);
  const { manifest, isAuthenticated } = authenticated;
  await requireComplete(backup, manifest);
  await requireEmpty(options.dataFolder, options.kept);
  const folders = prepareFolders(options.dataFolder, options.apartFrom);
  await putInPlace(backup, manifest, folders, options);
  try {
    const isIsolated = options.apartFrom !== undefined;
    const embedded = await startEmbedded({ dataFolder: options.dataFolder, log: options.log, isIsolated });
    try {
      if (!isAuthenticated) await requireHarmless(embedded.administration);
      await options.prove(embedded, authenticated);
    } finally {
      await embedded.stop();
    }
    await putBeside(backup, manifest, options.dataFolder);
  } catch (error) {
    await rm(folders.cluster, { recursive: true, force: true });
    throw error;
  }
  return authenticated;
}

/** Authenticates a backup and compares every file with its checksum, without copying anything. Throws `StartError`. */
export async function verifyBackup(
  folder: string,
  findMac: FindMac,
  { signal, progress }: Pick<RestoreOptions, "signal" | "progress"> = {},
): Promise<Authenticated> {
  const backup = resolve(folder);
  const authenticated = await authenticate(backup, await readManifest(backup), findMac);
  const { files } = authenticated.manifest;
  await requireComplete(backup, authenticated.manifest);
  let done = 0;
  await forEachOfMany(files, async (file) => {
    signal?.throwIfAborted();
    await requireContent(backup, file);
    await progress?.((done += 1), files.length);
  });
  return authenticated;
}

async function requireContent(backup: string, { path, size, sha256 }: BackupFile): Promise<void> {
  const found = await hashFile(join(backup, path), size);
  if (found?.sha256 !== sha256) throw damaged(backup, path);
}

type Listed = Pick<Authenticated["manifest"], "folders" | "files">;

/** Checks only names, kinds and sizes, which is quick. Contents are checked while they are copied. */
async function requireComplete(backup: string, { files, folders }: Listed): Promise<void> {
  const paths = new Set(files.map(({ path }) => path));
  const known = new Set(folders);
  for (const path of [...paths, ...known]) {
    // INVARIANT: nothing but the cluster and the audit checkpoints, no tablespace elsewhere, no recovery from elsewhere.
    const isForeign =
      (!["postgres", CLUSTER, "audit"].includes(path.split("/").slice(0, 2).join("/")) && !path.startsWith("audit/")) ||
      path.startsWith(`${CLUSTER}/pg_tblspc/`) ||
      RECOVERY_FILES.some((name) => path === `${CLUSTER}/${name}`);
    if (isForeign)
      throw new StartError(`The backup ${backup} contains ${path}, which does not belong in a Strongroom backup.`);
  }
  for (const entry of await readdir(backup, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(backup.length + 1);
    if (entry.isDirectory() ? known.has(path) : path === "manifest.json" || paths.has(path)) continue;
    throw new StartError(`The backup ${backup} contains ${path}, which its manifest does not list: remove it first.`);
  }
  for (const { path, size } of files) {
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
  manifest: Authenticated["manifest"],
  folders: Folders,
  { progress, signal, apartFrom }: RestoreOptions,
): Promise<void> {
  // Use the supervisor's name for incomplete clusters, so that it removes leftovers.
  const fresh = `${folders.cluster}.new-${process.pid}`;
  const inside = (path: string): string => join(fresh, path.slice(CLUSTER.length));
  const belongs = (path: string): boolean => path === CLUSTER || path.startsWith(`${CLUSTER}/`);
  const { home, user } = folders;
  const handOver = async (path: string): Promise<void> => {
    if (user.isDropped) await lchown(path, user.uid, user.gid);
  };
  // INVARIANT: the server user cannot enter the folder while root writes into it, so that no link of theirs is followed.
  if (user.isDropped) await chown(home, 0, 0);
  try {
    const inner = manifest.folders.filter(belongs).toSorted();
    for (const folder of inner) {
      await mkdir(inside(folder), { mode: 0o700 });
    }
    const isConfiguration = ({ path }: BackupFile): boolean =>
      CONFIGURATION_FILES.some((name) => path === `${CLUSTER}/${name}`);
    const files = manifest.files.filter((file) => belongs(file.path) && !isConfiguration(file));
    let copied = 0;
    await forEachOfMany(files, async ({ path, size, sha256 }) => {
      signal?.throwIfAborted();
      const written = await copyHashed(join(backup, path), inside(path), size);
      if (written?.sha256 !== sha256) throw damaged(backup, path);
      await progress?.((copied += 1), files.length);
    });
    const texts: string[] = [];
    for (const file of manifest.files.filter(isConfiguration)) {
      await requireContent(backup, file);
      texts.push(await readFile(join(backup, file.path), "utf8"));
    }
    // Sort by name, so that the automatic configuration comes first; the server reads it last.
    const written = await writeConfiguration(fresh, manifest.major, texts.toReversed());
    const all = [...files.map(({ path }) => inside(path)), ...written, ...inner.map(inside).toReversed()];
    for (const path of all) await handOver(path);
    if (apartFrom === undefined) await flushAll(all);
    await rename(fresh, folders.cluster);
    await flush(home);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  } finally {
    if (user.isDropped) await chown(home, user.uid, user.gid);
  }
}

/** Restores the files beside the database. INVARIANT: existing files stay, because they may be newer than the backup. */
async function putBeside(backup: string, { files }: Listed, dataFolder: string): Promise<void> {
  const { uid, gid } = await stat(dataFolder);
  const isRoot = process.geteuid?.() === 0;
  for (const { path, size, sha256 } of files) {
    if (path.startsWith(`${CLUSTER}/`)) continue;
    const target = join(dataFolder, path);
    if (existsSync(target)) continue;
    await requireNoLink(dataFolder, dirname(path));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const written = await copyHashed(join(backup, path), target, size);
    if (written?.sha256 !== sha256) {
      await rm(target, { force: true });
      throw damaged(backup, path);
    }
    if (isRoot) for (const each of [dirname(target), target]) await lchown(each, uid, gid);
    await flushAll([target, dirname(target), dataFolder]);
  }
}

/** Throws if a folder of this path leads out of the data folder, which may belong to an ordinary user. */
async function requireNoLink(dataFolder: string, path: string): Promise<void> {
  const folder = join(dataFolder, path);
  if (path !== "." && dirname(path) !== ".") await requireNoLink(dataFolder, dirname(path));
  const found = await lstat(folder).catch(() => null);
  if (found?.isSymbolicLink() === true) throw new StartError(`${folder} is a link. Replace it with a folder first.`);
}
