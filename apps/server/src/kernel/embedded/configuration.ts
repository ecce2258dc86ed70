// The embedded server's settings: tunable settings, forced settings, and a new configuration for restores.
import { join } from "node:path";
import { writeHashed } from "./hashed-copy.ts";

/**
 * Settings that an operator may tune in `cluster/postgresql.conf`, which is written when the cluster is created. They are sized
 * for little memory: about 30 MB for an idle server.
 */
const TUNABLE: Record<string, string> = {
  shared_buffers: "64MB",
  effective_cache_size: "512MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  max_connections: "60",
  max_wal_size: "512MB",
  min_wal_size: "64MB",
  random_page_cost: "1.1",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  max_worker_processes: "4",
  autovacuum_max_workers: "2",
  log_checkpoints: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

export const tunableSettings = (major: number): Record<string, string> => ({
  ...TUNABLE,
  ...(major >= 18 ? { io_method: "sync" } : {}),
});

/**
 * Settings given on the command line, which overrides every file: no setting in a cluster's folder runs a command, loads a
 * library or listens to another server. INVARIANT: no external command, no preloaded library, no archiving, no replication.
 */
export const FORCED: Record<string, string> = {
  archive_mode: "off",
  archive_command: "",
  archive_library: "",
  restore_command: "",
  archive_cleanup_command: "",
  recovery_end_command: "",
  recovery_target: "",
  primary_conninfo: "",
  primary_slot_name: "",
  max_logical_replication_workers: "0",
  shared_preload_libraries: "",
  session_preload_libraries: "",
  local_preload_libraries: "",
  dynamic_library_path: "$libdir",
  jit: "off",
  jit_provider: "llvmjit",
  ssl: "off",
  ssl_passphrase_command: "",
  event_triggers: "off",
};

/**
 * For the first connection to a restored database. Overrides the settings that the database stores for roles and databases
 * (`pg_db_role_setting`), which would otherwise override the command line.
 */
export const WITHOUT_STORED_SETTINGS =
  "-c session_preload_libraries= -c local_preload_libraries= -c dynamic_library_path=$libdir -c event_triggers=off -c jit=off";

/** Files that a restore writes itself; the backup's own files with these names are verified and left out. */
export const CONFIGURATION_FILES = ["postgresql.conf", "postgresql.auto.conf", "pg_hba.conf", "pg_ident.conf"];

/** Files that make the server fetch its log from elsewhere or follow another server. Our backups contain neither. */
export const RECOVERY_FILES = ["recovery.signal", "standby.signal", "tablespace_map"];

const PLAIN_VALUE = /^(?:\d+(?:\.\d+)?(?:B|kB|MB|GB|TB|us|ms|s|min|h|d)?|on|off)$/;

/**
 * Writes a new configuration for a cluster and returns its paths. From the given texts (the backup's own files, in the order in
 * which the server would read them), it keeps only numbers of tunable settings.
 */
export async function writeConfiguration(cluster: string, major: number, texts: readonly string[]): Promise<string[]> {
  const settings = tunableSettings(major);
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const [, name = "", value = ""] = /^\s*(\w+)\s*=?\s*'?([^'#\s]*)'?\s*(?:#.*)?$/.exec(line) ?? [];
    if (Object.hasOwn(TUNABLE, name) && PLAIN_VALUE.test(value)) settings[name] = value;
  }
  const contents: Record<string, string> = {
    "postgresql.conf": Object.entries(settings)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join(""),
    "postgresql.auto.conf": "",
    "pg_hba.conf": "# Strongroom names its own file on the command line.\n",
    "pg_ident.conf": "# Strongroom names its own file on the command line.\n",
  };
  const paths = CONFIGURATION_FILES.map((name) => join(cluster, name));
  for (const [index, path] of paths.entries()) await writeHashed(path, contents[CONFIGURATION_FILES[index]!]!);
  return paths;
}
