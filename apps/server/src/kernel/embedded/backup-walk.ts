// Which files of a live cluster belong into a backup: all but what PostgreSQL makes anew at each start (manual, §25.3.4).
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "#kernel/start-error.ts";

/** Kept as empty folders. The log (pg_wal) is added when the backup has ended. */
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

/** At the top. A label of a backup that this cluster was restored from is not ours. */
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

/** Paths within the cluster; `global/pg_control` is not among the files, because it wants care of its own. */
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
          throw new StartError(`${join(cluster, path)} is not an ordinary file: this backup would miss it.`);
        files.push(path);
      }
    }
  }
}

function isWanted(path: string, name: string): boolean {
  if (LEFT_OUT.has(path) || path === "global/pg_control") return false;
  return !name.startsWith("pgsql_tmp") && !name.startsWith("pg_internal.init");
}

/** A folder that was removed meanwhile, with its database, has nothing in it. */
async function list(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
