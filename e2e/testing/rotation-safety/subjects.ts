// The real systems whose secrets are changed while everything goes wrong.
import {
  mariadbAvailable,
  needs,
  opensslAvailable,
  postgresqlAvailable,
  startMariadb,
  startPostgresql,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import type { InputOf, createCredential } from "@strongroom/contract";

type Body = NonNullable<InputOf<typeof createCredential>["body"]>;

/** A credential of an account that exists on the system; its address is said by whoever stores it. */
export type AccountBody = Omit<Body, "name" | "host" | "port"> & { username: string; value: string };

export interface Subject {
  name: string;
  /** Of the server. */
  version: string;
  upstream: { host: string; port: number };
  /** A new account. */
  account(): Promise<AccountBody>;
  stop(): Promise<void>;
}

export interface Kind {
  name: string;
  needs: ReturnType<typeof needs>;
  /** `machines`: the addresses under which it will be asked, for its certificate. */
  start(machines: readonly string[]): Promise<Subject>;
}

/** Of a PostgreSQL that runs already. */
export function postgresqlSubject(server: PostgresqlServer, version: string): Subject {
  return {
    name: "PostgreSQL",
    version,
    upstream: server,
    account: async () => {
      const { username, password } = await server.addRole();
      return { type: "postgresql", username, value: password, database_name: "postgres", schema_name: "public" };
    },
    stop: async () => {},
  };
}

async function postgresql(): Promise<Subject> {
  const server = await startPostgresql();
  const [row] = await server.sql("select current_setting('server_version') as version");
  return { ...postgresqlSubject(server, String(row?.["version"])), stop: () => server.stop() };
}

async function mariadb(): Promise<Subject> {
  const server = await startMariadb();
  const [row] = await server.sql("select version() as version");
  return {
    name: "MySQL / MariaDB",
    version: String(row?.["version"]),
    upstream: server,
    account: async () => {
      const { username, password } = await server.addUser();
      return { type: "mysql", username, value: password, database_name: "app" };
    },
    stop: () => server.stop(),
  };
}

/** All log-ins come from one address here. */
const OPEN_DOOR = ["MaxStartups 200", "PerSourcePenalties no"];

async function unixPassword(): Promise<Subject> {
  const server = await startSshd({ config: OPEN_DOOR });
  return {
    name: "Linux password",
    version: "OpenSSH",
    upstream: server,
    account: async () => {
      const { username, password } = await server.addUser();
      return { type: "password", username, value: password };
    },
    stop: () => server.stop(),
  };
}

export const KINDS: readonly Kind[] = [
  { name: "postgresql", needs: needs(postgresqlAvailable()), start: postgresql },
  { name: "mysql", needs: needs(mariadbAvailable()), start: mariadb },
  { name: "linux-password", needs: needs(unixUsersAvailable(), opensslAvailable()), start: unixPassword },
];
