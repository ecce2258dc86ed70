// The database cluster: creates its folder once, checks it before each start, and configures its server.
import { execFile } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartError } from "#kernel/start-error.ts";
import type { Binaries } from "./binaries.ts";
import { libraryEnvironment } from "./binaries.ts";
import { FORCED, tunableSettings } from "./configuration.ts";
import type { Folders } from "./folders.ts";
import { SOCKET_PORT } from "./folders.ts";
import { commandAs, whoAmI } from "./server-user.ts";

const run = promisify(execFile);

/** PostgreSQL's superuser, used only for creating the database, for backups and for checks; the application never uses it. */
export const SUPERUSER = "postgres";
/** The application's role. It owns the database of the same name and has no permissions on the server. */
export const APPLICATION = "strongroom";

/** The major version that created the cluster; null before its creation. */
export function clusterMajor(cluster: string): number | null {
  if (!existsSync(cluster)) return null;
  try {
    return Number.parseInt(readFileSync(join(cluster, "PG_VERSION"), "utf8"), 10);
  } catch (error) {
    throw new StartError(`${cluster} is not a database folder (no PG_VERSION): move it away or restore a backup.`, {
      cause: error,
    });
  }
}

/**
 * Creates the cluster in a temporary folder and renames it, so that it is either complete or absent. If another start was faster,
 * the other start's cluster stays.
 */
export async function makeCluster(folders: Folders, binaries: Binaries): Promise<void> {
  const fresh = `${folders.cluster}.new-${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  const tunable = Object.entries(tunableSettings(binaries.major));
  const { file, args, options } = commandAs(folders.user, join(binaries.folder, "initdb"), [
    `--pgdata=${fresh}`,
    `--username=${SUPERUSER}`,
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--data-checksums",
    "--auth=peer",
    "--no-instructions",
    ...tunable.map(([name, value]) => `--set=${name}=${value}`),
  ]);
  try {
    await run(file, args, { ...options, cwd: "/", env: serverEnvironment(binaries) });
    renameSync(fresh, folders.cluster);
    const parent = openSync(folders.home, "r");
    fsyncSync(parent);
    closeSync(parent);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (existsSync(folders.cluster)) return;
    const said =
      (error as { stderr?: string }).stderr?.match(/(?:error|fatal): +(.+)/i)?.[1] ?? (error as Error).message;
    throw new StartError(`The database folder could not be created: ${said}.`, { cause: error });
  }
}

/** Writes the connection rules and returns the server's arguments. Operators cannot tune these settings. */
export function serverArguments(folders: Folders): string[] {
  const access = join(folders.home, "pg_hba.conf");
  const names = join(folders.home, "pg_ident.conf");
  // The kernel identifies the user at the other end of the socket, so there is no password to steal. Root is always allowed
  // because it could become any of these users.
  const people = [...new Set(["root", whoAmI().name, folders.user.name])];
  const lines = people.flatMap((name) => [SUPERUSER, APPLICATION].map((role) => `strongroom "${name}" ${role}\n`));
  writeForServer(access, "local all all peer map=strongroom\n", folders);
  writeForServer(names, lines.join(""), folders);
  const settings = {
    ...FORCED,
    data_directory: folders.cluster,
    hba_file: access,
    ident_file: names,
    listen_addresses: "",
    port: String(SOCKET_PORT),
    unix_socket_directories: `"${folders.socket.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    // The file is not empty, because the server would then complain in its log at every start.
    external_pid_file: join(folders.home, "server.pid"),
    // INVARIANT: acknowledged data is on the disk.
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    logging_collector: "off",
    log_destination: "stderr",
    log_line_prefix: "%m [%p] ",
    lc_messages: "C",
    // INVARIANT: no statement and no value of a row reaches the server's log.
    log_statement: "none",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_parameter_max_length: "0",
    log_parameter_max_length_on_error: "0",
  };
  return ["-D", folders.cluster, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** The server inherits nothing from our environment, which may contain a passphrase or a setup token. */
export function serverEnvironment(binaries: Binaries): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC", ...libraryEnvironment(binaries.libraryPath) };
}

function writeForServer(file: string, text: string, { user }: Folders): void {
  const fresh = `${file}.${process.pid}`;
  // The folder belongs to the server user, who could put a link there, so root follows no links.
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
  if (user.isDropped) lchownSync(fresh, user.uid, user.gid);
  renameSync(fresh, file);
}
