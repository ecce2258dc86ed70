// The baseline for a benchmark: the same drivers log in, query or change the password as the connectors do, and close. There is no storage,
// sealing, audit or locking.
import mysql from "mysql2";
import pg from "pg";
import { Client } from "ssh2";
import { scramVerifier } from "../src/postgresql/scram-verifier.ts";

export type BareSystem = "PostgreSQL" | "MariaDB" | "OpenSSH";

export interface BareLogin {
  system: BareSystem;
  host: string;
  port: number;
  username: string;
  password: string;
  database?: string;
}

async function postgresql(login: BareLogin, candidate: string | null): Promise<void> {
  const { host, port, username: user, password, database } = login;
  const client = new pg.Client({
    host,
    port,
    user,
    password,
    ssl: false,
    ...(database === undefined ? {} : { database }),
  });
  await client.connect();
  await client.query(
    candidate === null
      ? "select rolsuper, rolvaliduntil from pg_roles where rolname = current_user"
      : `alter role session_user password ${pg.escapeLiteral(await scramVerifier(candidate))}`,
  );
  await client.end();
}

function mariadb(login: BareLogin, candidate: string | null): Promise<void> {
  const { host, port, username: user, password, database } = login;
  return new Promise((resolve, reject) => {
    const connection = mysql.createConnection({
      host,
      port,
      user,
      password,
      ...(database === undefined ? {} : { database }),
    });
    connection.on("error", reject);
    const statement = candidate === null ? "select current_user() as account" : "set password = password(?)";
    connection.query(statement, candidate === null ? [] : [candidate], (error) => {
      connection.destroy();
      if (error === null) resolve();
      else reject(error);
    });
  });
}

function openssh({ host, port, username, password }: BareLogin, candidate: string | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = new Client();
    client.on("error", reject);
    client.on("ready", () =>
      client.exec(
        candidate === null ? "true" : "env LC_ALL=C passwd",
        { pty: candidate !== null },
        (error, channel) => {
          if (error !== undefined) return reject(error);
          const answers = candidate === null ? [] : [password, candidate, candidate];
          channel.on("data", (text: Buffer) => {
            if (/password: ?$/i.test(text.toString())) channel.write(`${answers.shift() ?? ""}\n`);
          });
          channel.on("exit", (status: number | null) => {
            if (status !== 0) reject(new Error(`ended with ${status}`));
          });
          channel.on("close", () => {
            client.end();
            resolve();
          });
          channel.stderr.resume();
          channel.resume();
        },
      ),
    );
    client.connect({ host, port, username, password });
  });
}

const SESSIONS = { PostgreSQL: postgresql, MariaDB: mariadb, OpenSSH: openssh };

/** Resolves when the login has succeeded and was closed; rejects with the driver's error. */
export const logInBare = (login: BareLogin): Promise<void> => SESSIONS[login.system](login, null);

/** Changes the password and logs in again with the new one. */
export async function rotateBare(login: BareLogin, candidate: string): Promise<void> {
  await SESSIONS[login.system](login, candidate);
  await logInBare({ ...login, password: candidate });
}
