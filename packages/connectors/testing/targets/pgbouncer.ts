// A real PgBouncer in front of a PostgreSQL server, with its own passwords, as is usual.
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Unavailable } from "./availability.ts";
import { firstExisting, freePort, ordinaryAccount, startServer, temporaryFolder } from "./server-process.ts";

const BINARIES = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"];

export function pgbouncerAvailable(): Unavailable {
  return firstExisting(BINARIES) === null ? "there is no PgBouncer (install pgbouncer)" : null;
}

export type PoolMode = "session" | "transaction" | "statement";

export interface Pgbouncer {
  host: string;
  port: number;
  /** Makes PgBouncer reload its settings, as an operator would; connections stay open. */
  setMode(mode: PoolMode): void;
  stop(): Promise<void>;
}

/** Accepts `role` with its password, and passes it on to the server. */
export async function startPgbouncer(
  server: { host: string; port: number },
  role: { username: string; password: string },
  mode: PoolMode = "transaction",
): Promise<Pgbouncer> {
  const account = ordinaryAccount("postgres");
  const folder = temporaryFolder(account);
  const port = await freePort();
  const write = (name: string, text: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (account !== null) chownSync(path, account.uid, account.gid);
    return path;
  };
  const users = write("users", `"${role.username}" "${role.password}"\n`);
  const configure = (poolMode: PoolMode) =>
    write(
      "pgbouncer.ini",
      [
        "[databases]",
        `* = host=${server.host} port=${server.port}`,
        "[pgbouncer]",
        "listen_addr = 127.0.0.1",
        `listen_port = ${port}`,
        "unix_socket_dir =",
        "auth_type = scram-sha-256",
        `auth_file = ${users}`,
        `pool_mode = ${poolMode}`,
        "default_pool_size = 60",
        "",
      ].join("\n"),
    );
  const config = configure(mode);
  const pooler = startServer({ command: firstExisting(BINARIES) ?? "pgbouncer", args: [config], account });
  await pooler.line(/process up/);
  return {
    host: "127.0.0.1",
    port,
    setMode: (changed) => {
      configure(changed);
      process.kill(pooler.pid, "SIGHUP");
    },
    stop: async () => {
      await pooler.stop("SIGINT");
      folder.remove();
    },
  };
}
