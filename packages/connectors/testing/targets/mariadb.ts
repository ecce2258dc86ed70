// A real MariaDB server on loopback.
import { randomBytes } from "node:crypto";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import mysql from "mysql2/promise";
import type { ServerCertificate } from "../certificates.ts";
import type { Unavailable } from "./availability.ts";
import {
  firstExisting,
  freePort,
  ordinaryAccount,
  runTool,
  startServer,
  temporaryFolder,
  type ServerProcess,
} from "./server-process.ts";

export interface MariadbServer {
  host: string;
  port: number;
  /** Runs SQL as root; returns the rows. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** A user with a random password and the database `app`. `clause` is SQL after the password, such as `account lock`. */
  addUser(clause?: string): Promise<{ username: string; password: string }>;
  /** Restarts on the same port with TLS by this certificate, or without TLS, and with additional options of mariadbd. */
  restart(certificate: ServerCertificate | null, options?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

const SERVERS = ["/usr/sbin/mariadbd", "/usr/local/bin/mariadbd", "/opt/homebrew/bin/mariadbd"];
const INSTALLERS = [
  "/usr/bin/mariadb-install-db",
  "/usr/local/bin/mariadb-install-db",
  "/opt/homebrew/bin/mariadb-install-db",
];

export function mariadbAvailable(): Unavailable {
  return firstExisting(SERVERS) === null || firstExisting(INSTALLERS) === null
    ? "there is no MariaDB (install mariadb-server)"
    : null;
}

export async function startMariadb({
  certificate = null,
}: { certificate?: ServerCertificate | null } = {}): Promise<MariadbServer> {
  const account = ordinaryAccount("mysql");
  const folder = temporaryFolder(account);
  const at = (name: string) => join(folder.path, name);
  const port = await freePort();
  const rootPassword = randomBytes(12).toString("base64url");
  const installer = firstExisting(INSTALLERS) ?? "mariadb-install-db";
  await runTool(
    installer,
    [
      "--no-defaults",
      `--datadir=${at("data")}`,
      "--auth-root-authentication-method=normal",
      "--skip-test-db",
      "--skip-name-resolve",
    ],
    { account },
  );
  writeFileSync(at("init.sql"), initialSql(rootPassword), { mode: 0o600 });
  if (account !== null) chownSync(at("init.sql"), account.uid, account.gid);

  const launch = async (tlsBy: ServerCertificate | null, options: readonly string[]): Promise<ServerProcess> => {
    const tls = tlsBy === null ? ["--skip-ssl"] : [`--ssl-cert=${at("server.crt")}`, `--ssl-key=${at("server.key")}`];
    for (const [name, text] of [
      ["server.crt", tlsBy?.certificate],
      ["server.key", tlsBy?.privateKey],
    ] as const) {
      if (text === undefined) continue;
      writeFileSync(at(name), text, { mode: 0o600 });
      if (account !== null) chownSync(at(name), account.uid, account.gid);
    }
    const args = [
      "--no-defaults",
      `--datadir=${at("data")}`,
      `--socket=${at("socket")}`,
      `--pid-file=${at("pid")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      "--skip-name-resolve",
      "--innodb-flush-log-at-trx-commit=0",
      `--init-file=${at("init.sql")}`,
      ...tls,
      ...options,
    ];
    const server = startServer({ command: firstExisting(SERVERS) ?? "mariadbd", args, account });
    await server.line(/ready for connections/);
    return server;
  };
  let server = await launch(certificate, []);

  const sql = async (text: string): Promise<Record<string, unknown>[]> => {
    const connection = await mysql.createConnection({ host: "127.0.0.1", port, user: "root", password: rootPassword });
    try {
      const [rows] = await connection.query(text);
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
    } finally {
      connection.destroy();
    }
  };
  return {
    host: "127.0.0.1",
    port,
    sql,
    addUser: async (clause = "") => {
      const user = {
        username: `srt_${randomBytes(4).toString("hex")}`,
        password: randomBytes(12).toString("base64url"),
      };
      await sql(`create user ${user.username}@'127.0.0.1' identified by '${user.password}' ${clause}`);
      await sql(`grant select on app.* to ${user.username}@'127.0.0.1'`);
      return user;
    },
    restart: async (next, options = []) => {
      await server.stop();
      server = await launch(next, options);
    },
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

/** Runs at every start. Deletes the accounts without a password that `mariadb-install-db` creates. */
function initialSql(rootPassword: string): string {
  return [
    `create or replace user root@'127.0.0.1' identified by '${rootPassword}';`,
    "grant all on *.* to root@'127.0.0.1' with grant option;",
    "delete from mysql.global_priv where user = 'root' and host <> '127.0.0.1' or user = '';",
    "flush privileges;",
    "create database if not exists app;",
    "",
  ].join("\n");
}
