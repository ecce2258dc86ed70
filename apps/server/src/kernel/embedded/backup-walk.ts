// Selects the files of a live cluster for a backup: all except those that PostgreSQL recreates at each start (manual, §25.3.4).
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "#kernel/start-error.ts";

/** These are kept as empty folders. The write-ahead log (pg_wal) is added at the end of the backup. */
const WITHOUT_CONTENT = new Set([
  "pg_wal",
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);

/** Left out at the top level. An existing backup label belongs to the backup that this cluster was restored from. */
const LEFT_OUT = new Set([
  "postmaster.pid",
  "postmaster.opts",
  "backup_label",
  "backup_label.old",
  "tablespace_map",
  "tablespace_map.old",
  "backup_manifest",
  "recovery.signal",
  "standby.signal",
  "current_logfiles",
  "postgresql.auto.conf.tmp",
]);

/** Paths within the cluster, except `global/pg_control`, which is copied separately. */
export async function copiedFiles(cluster: string): Promise<{ folders: string[]; files: string[] }> {
  const folders: string[] = [];
  const files: string[] = [];
  await walk("");
  return { folders, files };

  async function walk(folder: string): Promise<void> {
    for (const entry of await list(join(cluster, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (path === "pg_wal" || entry.isDirectory()) {
        if (entry.name.startsWith("pgsql_tmp")) continue;
        folders.push(path);
        if (!WITHOUT_CONTENT.has(path)) await walk(path);
      } else if (isWanted(path, entry.name)) {
        if (!entry.isFile())
          throw new StartError(`${join(cluster, path)} is not a regular file, so this backup would omit it.`);
        files.push(path);
      }
    }
  }
}

function isWanted(path: string, name: string): boolean {
  if (LEFT_OUT.has(path) || path === "global/pg_control") return false;
  return !name.startsWith("pgsql_tmp") && !name.startsWith("pg_internal.init");
}

/** If a folder was removed in the meantime together with its database, it counts as empty. */
async function list(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
