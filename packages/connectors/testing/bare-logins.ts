// What a benchmark compares the product with: the same drivers log in, ask one question as the connectors do, and close.
// No store, no seal, no record, no lock.
import mysql from "mysql2";
import pg from "pg";
import { Client } from "ssh2";

export type BareSystem = "PostgreSQL" | "MariaDB" | "OpenSSH";

export interface BareLogin {
  system: BareSystem;
  host: string;
  port: number;
  username: string;
  password: string;
  database?: string;
}

async function postgresql({ host, port, username: user, password, database }: BareLogin): Promise<void> {
  const client = new pg.Client({ host, port, user, password, database, ssl: false });
  await client.connect();
  await client.query("select rolsuper, rolvaliduntil from pg_roles where rolname = current_user");
  await client.end();
}

function mariadb({ host, port, username: user, password, database }: BareLogin): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = mysql.createConnection({
      host,
      port,
      user,
      password,
      ...(database === undefined ? {} : { database }),
    });
    connection.on("error", reject);
    connection.query("select current_user() as account", (error) => {
      connection.destroy();
      if (error === null) resolve();
      else reject(error);
    });
  });
}

function openssh({ host, port, username, password }: BareLogin): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = new Client();
    client.on("error", reject);
    client.on("ready", () =>
      client.exec("true", (error, channel) => {
        if (error !== undefined) return reject(error);
        channel.on("close", () => {
          client.end();
          resolve();
        });
        channel.resume();
      }),
    );
    client.connect({ host, port, username, password });
  });
}

const LOGINS = { PostgreSQL: postgresql, MariaDB: mariadb, OpenSSH: openssh };

/** Resolves when the login has been proved and closed; rejects with the driver's error. */
export const logInBare = (login: BareLogin): Promise<void> => LOGINS[login.system](login);
