// Backs up the live embedded database with PostgreSQL's low-level base backup (manual, §25.3.4): start, copy the changing folder,
// stop, and add the write-ahead log written in between, from which the next start recovers.
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, readFile, readdir, rm } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { SealRecord } from "@strongroom/keys";
import pg from "pg";
import { StartError } from "#kernel/start-error.ts";
import { version } from "#kernel/version.ts";
import { manifestPath, renderManifest } from "./backup-manifest.ts";
import type { BackupFile, BackupManifest, FindMac, Mac } from "./backup-manifest.ts";
import { copyHashed, flush, flushAll, forEachOfMany, writeHashed } from "./hashed-copy.ts";
import type { Written } from "./hashed-copy.ts";
import { copiedFiles } from "./backup-walk.ts";

/** The path of the cluster in a data folder and in a backup. */
export const CLUSTER = "postgres/cluster";

/** Of the files beside the cluster, only the audit checkpoints are included: the others belong to this machine or are keys. */
const IS_CHECKPOINT = /^checkpoints?(?:\.contradicted-[\w.-]+)?$/;

export interface BackupOptions {
  /** A connection as superuser: `Embedded.administration`. */
  administration: pg.ClientConfig;
  dataFolder: string;
  /** A new or empty folder. */
  target: string;
  /** Folders in the data folder whose files are included if they exist. */
  beside: readonly string[];
  /**
   * Allows a target in the data folder, where the backup could be lost together with the database. For backups that are copied
   * elsewhere.
   */
  mayLieWithin?: boolean;
  /** Called after each file with the number of copied files and the total. */
  progress?: (done: number, total: number) => Promise<void>;
  /** Aborts the backup. */
  signal?: AbortSignal;
  /** Called at the start and at the end. Returns the seal record in the database; null before the first start. */
  seal: () => Promise<SealRecord | null>;
  /** Finds the root key that authenticates the manifest. */
  findMac: FindMac;
}

/**
 * Writes a backup and returns its manifest. The manifest is written last: a folder without a manifest is not a backup. Everything
 * is flushed to disk when this function returns. When it rejects, the written files are removed. Throws a one-sentence
 * `StartError` for an unusable target.
 */
export async function backUp(options: BackupOptions): Promise<BackupManifest> {
  const target = resolve(options.target);
  const isNew = await prepareTarget(target, options);
  try {
    return await write(options, target);
  } catch (error) {
    if (isNew) await rm(target, { recursive: true, force: true });
    else for (const entry of await readdir(target)) await rm(join(target, entry), { recursive: true, force: true });
    throw error;
  }
}

/** Returns whether it created the folder. */
async function prepareTarget(target: string, { dataFolder, mayLieWithin }: BackupOptions): Promise<boolean> {
  const isNew = !existsSync(target);
  try {
    if (isNew) await mkdir(target, { recursive: true, mode: 0o700 });
    const found = await readdir(target);
    if (found.length > 0) throw new StartError(`The folder ${target} is not empty: choose a new one.`);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The folder ${target} cannot be used (${(error as NodeJS.ErrnoException).code}).`, {
      cause: error,
    });
  }
  if (mayLieWithin === true) return isNew;
  const within = relative(realpathSync(dataFolder), realpathSync(target));
  if (within !== ".." && !within.startsWith(`..${sep}`)) {
    if (isNew) await rm(target, { recursive: true });
    throw new StartError(
      `The folder ${target} is inside the data folder, so the backup could be lost with it: choose another location.`,
    );
  }
  return isNew;
}

async function write(options: BackupOptions, target: string): Promise<BackupManifest> {
  const client = new pg.Client({ ...options.administration, application_name: "strongroom backup" });
  // A lost connection also rejects the running query.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const before = await options.seal();
    if (before === null) throw new StartError("There is no root key yet: start Strongroom once, then back it up.");
    const seal = { root_key: { id: before.rootKeyId, provider: before.provider }, seal: { ...before } };
    // This runs before anything is copied, because there can be no backup without a root key.
    const mac = await options.findMac(seal);
    const copy = openCopy(target);
    // These files come first because they must not be newer than the database.
    for (const folder of options.beside) await copyBeside(copy, options.dataFolder, folder);
    const { major, madeAt, systemIdentifier } = await copyCluster(copy, client, options);
    const after = await options.seal();
    if (before.rootKeyId !== after?.rootKeyId) {
      throw new StartError("The root key changed during the backup: make another one.");
    }
    const head = {
      format: "strongroom-backup/2",
      name: basename(target),
      made_at: madeAt.toISOString(),
      strongroom: version,
      major,
      system_identifier: systemIdentifier,
      ...seal,
    } as const;
    return await finish(copy, target, head, mac);
  } finally {
    // This also ends backup mode and the replication slot after a failure.
    await client.end();
  }
}

interface Copy {
  folders: Set<string>;
  files: BackupFile[];
  folder(path: string): Promise<void>;
  /** Adds the file that `make` writes to the manifest. Returns false if its source is gone. */
  file(path: string, make: (target: string) => Promise<Written | null>): Promise<boolean>;
}

function openCopy(target: string): Copy {
  const copy: Copy = {
    folders: new Set(),
    files: [],
    async folder(path) {
      if (copy.folders.has(path)) return;
      if (path.includes("/")) await copy.folder(dirname(path));
      copy.folders.add(path);
      await mkdir(join(target, path), { recursive: true, mode: 0o700 });
    },
    async file(path, make) {
      const written = await make(join(target, path));
      if (written !== null) copy.files.push({ path, ...written });
      return written !== null;
    },
  };
  return copy;
}

async function copyBeside(copy: Copy, dataFolder: string, folder: string): Promise<void> {
  const source = join(dataFolder, folder);
  if (!existsSync(source)) return;
  await copy.folder(folder);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (!entry.isFile() || !IS_CHECKPOINT.test(entry.name)) continue;
    await copy.file(`${folder}/${entry.name}`, (target) => copyHashed(join(source, entry.name), target));
  }
}

async function copyCluster(
  copy: Copy,
  client: pg.Client,
  { progress, signal }: BackupOptions,
): Promise<{ major: number; madeAt: Date; systemIdentifier: string }> {
  const cluster = await clusterOf(client);
  await reserveLog(client);
  await client.query("select pg_backup_start($1, fast => true)", ["strongroom"]);
  const found = await copiedFiles(cluster);
  for (const folder of ["", ...found.folders]) await copy.folder(join(CLUSTER, folder));
  let copied = 0;
  await forEachOfMany(found.files, async (path) => {
    signal?.throwIfAborted();
    // The log replay will drop a table that was dropped in the meantime.
    await copy.file(`${CLUSTER}/${path}`, (target) => copyHashed(join(cluster, path), target));
    await progress?.((copied += 1), found.files.length);
  });
  // This file is copied last, as in pg_basebackup.
  await copy.file(`${CLUSTER}/global/pg_control`, async (target) => {
    return writeHashed(target, await readSteady(join(cluster, "global", "pg_control")));
  });
  const { rows } = await client.query<Stopped>(`
    select lsn::text, labelfile, clock_timestamp() as at, current_setting('server_version_num')::int as version,
           (select setting::bigint from pg_settings where name = 'wal_segment_size')::text as segment_size,
           (select system_identifier::text from pg_control_system()) as system_identifier
    from pg_backup_stop(wait_for_archive => false)`);
  const [stopped] = rows;
  if (stopped === undefined) throw new Error("pg_backup_stop returned no row");
  await copy.file(`${CLUSTER}/backup_label`, (target) => writeHashed(target, stopped.labelfile));
  for (const segment of segmentsBetween(stopped.labelfile, stopped.lsn, BigInt(stopped.segment_size))) {
    const path = `pg_wal/${segment}`;
    const isThere = await copy.file(`${CLUSTER}/${path}`, (target) => copyHashed(join(cluster, path), target));
    if (!isThere) throw new Error(`the write-ahead log ${segment} is gone`);
  }
  const { version: number, at: madeAt, system_identifier: systemIdentifier } = stopped;
  return { major: Math.floor(number / 10_000), madeAt, systemIdentifier };
}

interface Stopped {
  lsn: string;
  labelfile: string;
  at: Date;
  version: number;
  segment_size: string;
  system_identifier: string;
}

async function clusterOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ cluster: string; elsewhere: string | null }>(`
    select current_setting('data_directory') as cluster,
           (select min(spcname) from pg_tablespace where spcname not in ('pg_default', 'pg_global')) as elsewhere`);
  const { cluster = "", elsewhere } = rows[0] ?? {};
  if (elsewhere != null)
    throw new StartError(`The tablespace ${elsewhere} is outside the cluster, so this backup would omit it.`);
  return cluster;
}

/** Keeps the write-ahead log until this session ends. Otherwise, a busy server would recycle the log before it is copied. */
async function reserveLog(client: pg.Client): Promise<void> {
  const name = `strongroom_backup_${randomUUID().replaceAll("-", "_")}`;
  await client.query("select pg_create_physical_replication_slot($1, true, true)", [name]);
}

/** The server overwrites this file in place, so a concurrent read may see a mixture. Two equal reads are consistent. */
async function readSteady(path: string): Promise<Buffer> {
  for (let before = await readFile(path); ;) {
    const now = await readFile(path);
    if (now.equals(before)) return now;
    before = now;
  }
}

async function finish(
  copy: Copy,
  target: string,
  head: Omit<BackupManifest, "folders" | "files">,
  mac: Mac,
): Promise<BackupManifest> {
  const folders = [...copy.folders].toSorted();
  const files = copy.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  await flushAll([...files.map(({ path }) => path), ...folders].map((path) => join(target, path)));
  const manifest = { ...head, folders, files };
  await writeHashed(manifestPath(target), renderManifest(manifest, mac));
  await flushAll([manifestPath(target), target]);
  // If this process may not read the parent folder, keeping the name is up to the file system.
  await flush(dirname(target)).catch(() => undefined);
  return manifest;
}

/**
 * The write-ahead log files from the one in the backup label to the one with the byte before `stop` ("2/1A0000F8"). Their names
 * consist of the timeline and the number of the segment in two parts, each as 8 hex digits.
 */
export function segmentsBetween(label: string, stop: string, segmentSize: bigint): string[] {
  const [, timeline, high, low] = /\(file ([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})\)/.exec(label) ?? [];
  const [, stopHigh, stopLow] = /^([0-9A-F]+)\/([0-9A-F]+)$/.exec(stop) ?? [];
  if (timeline === undefined || stopHigh === undefined) throw new Error("not a PostgreSQL write-ahead log name");
  const perHigh = 0x1_0000_0000n / segmentSize;
  const first = hex(high) * perHigh + hex(low);
  const last = ((hex(stopHigh) << 32n) + hex(stopLow) - 1n) / segmentSize;
  const names: string[] = [];
  for (let number = first; number <= last; number++) {
    names.push(timeline + digits(number / perHigh) + digits(number % perHigh));
  }
  return names;
}

const hex = (text: string | undefined): bigint => BigInt(`0x${text}`);

const digits = (number: bigint): string => number.toString(16).toUpperCase().padStart(8, "0");
