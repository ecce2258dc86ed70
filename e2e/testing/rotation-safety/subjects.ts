// The real systems whose secrets are changed while everything goes wrong.
import {
  makeAuthority,
  mariadbAvailable,
  needs,
  openldapAvailable,
  opensslAvailable,
  postgresqlAvailable,
  rabbitmqAvailable,
  redisAvailable,
  sambaAdAvailable,
  startCuttingProxy,
  startFakeIos,
  startFakeMongodb,
  startFakeMssql,
  startFakeWinrm,
  startMariadb,
  startOpenldap,
  startPostgresql,
  startRabbitmq,
  startRedis,
  startSambaAd,
  startSshd,
  startTelnetd,
  telnetdAvailable,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import type { PostgresqlServer, Sshd } from "@strongroom/connectors/testing";
import type { InputOf, createCredential } from "@strongroom/contract";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

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
  /** Where secrets are changed at another port than people log in at: the one to log in at. `upstream` is the other. */
  login?: { host: string; port: number };
  /** What is stored otherwise for an account whose `upstream` is reached through a proxy there. */
  through?(body: AccountBody, proxy: { host: string; port: number }): Partial<Body>;
  /** The old secret goes on being accepted for a while, by itself. */
  isOldAccepted?: boolean;
  stop(): Promise<void>;
}

export interface Kind {
  /** To choose it by. */
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

/** All log-ins come from one address here, and many break off. */
const OPEN_DOOR = ["MaxStartups 200", "PerSourcePenalties no"];

/** The options that the server knows. */
async function openDoor(more: readonly string[] = []): Promise<Sshd> {
  const isNew = spawnSync("sshd", ["-V"], { encoding: "utf8" }).stderr.match(/OpenSSH_(\d+)/)?.[1] ?? "0";
  return startSshd({ config: [...more, ...OPEN_DOOR.slice(0, Number(isNew) >= 10 ? 2 : 1)] });
}

const opensshVersion = () => /OpenSSH_([\w.]+)/.exec(spawnSync("ssh", ["-V"], { encoding: "utf8" }).stderr)?.[1] ?? "";

async function unixPassword(): Promise<Subject> {
  const server = await openDoor();
  return {
    name: "Linux password",
    version: `OpenSSH ${opensshVersion()}, PAM`,
    upstream: server,
    account: async () => {
      const { username, password } = await server.addUser();
      return { type: "password", username, value: password };
    },
    stop: () => server.stop(),
  };
}

async function unixKey(): Promise<Subject> {
  const server = await openDoor(["AuthorizedKeysFile .ssh/authorized_keys"]);
  return {
    name: "Linux key",
    version: `OpenSSH ${opensshVersion()}`,
    upstream: server,
    account: async () => {
      const { username, home } = await server.addUser("active", { hasHome: true });
      const folder = join(home, ".ssh");
      mkdirSync(folder, { mode: 0o700 });
      spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, "key")]);
      renameSync(join(folder, "key.pub"), join(folder, "authorized_keys"));
      const { uid, gid } = statSync(home);
      for (const path of [folder, join(folder, "authorized_keys")]) chownSync(path, uid, gid);
      return { type: "ssh", username, value: readFileSync(join(folder, "key"), "utf8") };
    },
    stop: () => server.stop(),
  };
}

async function ldap(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startOpenldap({ certificate: await authority.issue(["127.0.0.1", ...machines]), users: {} });
  const ca = authority.certificate;
  return {
    name: "LDAP directory",
    version: "OpenLDAP",
    upstream: { host: server.host, port: server.tlsPort },
    account: async () => {
      const { username, password } = await server.addUser();
      const dn_template = `uid={username},ou=people,${server.suffix}`;
      return { type: "password", username, value: password, additional_params: { protocol: "ldaps", dn_template, ca } };
    },
    stop: () => server.stop(),
  };
}

async function activeDirectory(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startSambaAd(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { protocol: "active-directory", domain: server.realm, ca: authority.certificate };
  return {
    name: "Active Directory",
    version: "Samba",
    upstream: server,
    isOldAccepted: true,
    account: async () => {
      const { username, password } = await server.addUser();
      return { type: "password", username, value: password, additional_params };
    },
    stop: () => server.stop(),
  };
}

async function redis(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startRedis({ certificate: await authority.issue(["127.0.0.1", ...machines]) });
  const additional_params = { protocol: "redis", ca: authority.certificate };
  return {
    name: "Redis",
    version: "",
    upstream: server,
    account: async () => {
      const { username, password } = await server.addUser("+acl|setuser", "+acl|save");
      return { type: "application", username, value: password, ssl_enabled: true, additional_params };
    },
    stop: () => server.stop(),
  };
}

async function telnet(): Promise<Subject> {
  const server = await startTelnetd();
  const additional_params = { protocol: "telnet", device: "unix", allow_clear_text: true };
  return {
    name: "Telnet (Unix)",
    version: "inetutils",
    upstream: server,
    account: async () => {
      const { username, password } = await server.addUser();
      return { type: "server", username, value: password, additional_params };
    },
    stop: () => server.stop(),
  };
}

const DOUBLE = "a double of ours";
const aSecret = () => randomBytes(12).toString("base64url");

async function ios(): Promise<Subject> {
  const device = await startFakeIos();
  let count = 0;
  return {
    name: "Cisco IOS over SSH",
    version: DOUBLE,
    upstream: device,
    account: async () => {
      const username = `admin${count++}`;
      const value = aSecret();
      device.setUser(username, value);
      const additional_params = { protocol: "network-device", device: "cisco-ios" };
      return { type: "server", username, value, additional_params };
    },
    stop: () => device.stop(),
  };
}

async function mongodb(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startFakeMongodb(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { ca: authority.certificate };
  let count = 0;
  return {
    name: "MongoDB",
    version: DOUBLE,
    upstream: server,
    account: async () => {
      const [username, value] = [`user${count++}`, aSecret()];
      server.addUser(username, value);
      return { type: "mongodb", username, value, database_name: "admin", ssl_enabled: true, additional_params };
    },
    stop: () => server.stop(),
  };
}

async function mssql(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startFakeMssql(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { ca: authority.certificate };
  let count = 0;
  return {
    name: "SQL Server",
    version: DOUBLE,
    upstream: server,
    account: async () => {
      const [username, value] = [`login${count++}`, aSecret()];
      server.addLogin(username, value);
      return {
        type: "mssql",
        username,
        value,
        database_name: "master",
        schema_name: "dbo",
        ssl_enabled: true,
        additional_params,
      };
    },
    stop: () => server.stop(),
  };
}

async function winrm(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startFakeWinrm(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { protocol: "winrm", ca: authority.certificate };
  let count = 0;
  return {
    name: "Windows over WinRM",
    version: DOUBLE,
    upstream: server,
    account: async () => {
      const [username, value] = [`remote${count++}`, aSecret()];
      server.addAccount(username, value);
      return { type: "server", username, value, additional_params };
    },
    stop: () => server.stop(),
  };
}

async function rabbitmq(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startRabbitmq(await authority.issue(["127.0.0.1", ...machines]));
  // People log in at every machine too, and there nothing is struck.
  const logins = await Promise.all(machines.map((machine) => startCuttingProxy(server, machine)));
  const params = { protocol: "rabbitmq", ca: authority.certificate, management_port: server.managementPort };
  return {
    name: "RabbitMQ",
    version: "",
    upstream: { host: server.host, port: server.managementPort },
    login: server,
    through: (_, proxy) => ({
      port: logins.find(({ host }) => host === proxy.host)!.port,
      additional_params: { ...params, management_port: proxy.port },
    }),
    account: async () => {
      const { username, password } = await server.addUser("administrator");
      return { type: "application", username, value: password, additional_params: params };
    },
    stop: async () => {
      await Promise.all(logins.map((each) => each.stop()));
      await server.stop();
    },
  };
}

const TLS = opensslAvailable();

export const KINDS: readonly Kind[] = [
  { name: "postgresql", needs: needs(postgresqlAvailable()), start: postgresql },
  { name: "mysql", needs: needs(mariadbAvailable()), start: mariadb },
  { name: "linux-password", needs: needs(unixUsersAvailable()), start: unixPassword },
  { name: "linux-key", needs: needs(unixUsersAvailable()), start: unixKey },
  { name: "ldap", needs: needs(openldapAvailable(), TLS), start: ldap },
  { name: "active-directory", needs: needs(sambaAdAvailable(), TLS), start: activeDirectory },
  { name: "redis", needs: needs(redisAvailable(), TLS), start: redis },
  { name: "rabbitmq", needs: needs(rabbitmqAvailable(), TLS), start: rabbitmq },
  { name: "telnet", needs: needs(telnetdAvailable()), start: telnet },
  { name: "cisco-ios", needs: {}, start: ios },
  { name: "mongodb", needs: needs(TLS), start: mongodb },
  { name: "mssql", needs: needs(TLS), start: mssql },
  { name: "winrm", needs: needs(TLS), start: winrm },
];
