// The targets whose rotations are tested under fault injection.
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
import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { aws, azure, googleCloud, ios, mongodb, mssql, oracle, winrm } from "./fakes.ts";
import { openDependentTestBed } from "./dependents.ts";
import type { AccountBody, Subject } from "./subject.ts";
import type { Kind } from "./test-bed.ts";

const POSTGRES = { database_name: "postgres", schema_name: "public" };

/** For a running PostgreSQL server. */
export function postgresqlSubject(server: PostgresqlServer, version: string): Subject {
  return {
    name: "PostgreSQL",
    version,
    upstream: server,
    account: async () => {
      const { username, password } = await server.addRole();
      return { type: "postgresql", username, value: password, ...POSTGRES };
    },
    stop: async () => {},
  };
}

async function postgresql(): Promise<Subject> {
  const server = await startPostgresql();
  const [row] = await server.sql("select current_setting('server_version') as version");
  return { ...postgresqlSubject(server, String(row?.["version"])), stop: () => server.stop() };
}

/** The superuser sets the passwords. */
async function postgresqlReconciled(): Promise<Subject> {
  const server = await startPostgresql();
  const [row] = await server.sql("select current_setting('server_version') as version");
  const { username, password: value } = server.superuser;
  const kind = { system_type: "postgresql", connection_method: "SQL" } as const;
  return {
    ...postgresqlSubject(server, String(row?.["version"])),
    name: "PostgreSQL, by a reconcile account",
    reconciler: { kind, account: { type: "postgresql", username, value, ...POSTGRES } },
    stop: () => server.stop(),
  };
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

/** Lifts OpenSSH's limits, because all logins come from one address and many are interrupted. */
const WITHOUT_LIMITS = ["MaxStartups 200", "PerSourcePenalties no"];

/** Uses only options that this version supports. */
async function startUnlimitedSshd(more: readonly string[] = []): Promise<Sshd> {
  const isNew = spawnSync("sshd", ["-V"], { encoding: "utf8" }).stderr.match(/OpenSSH_(\d+)/)?.[1] ?? "0";
  return startSshd({ config: [...more, ...WITHOUT_LIMITS.slice(0, Number(isNew) >= 10 ? 2 : 1)] });
}

const opensshVersion = () => /OpenSSH_([\w.]+)/.exec(spawnSync("ssh", ["-V"], { encoding: "utf8" }).stderr)?.[1] ?? "";

const unixPassword = async (): Promise<Subject> => unixSubject(await startUnlimitedSshd());

function unixSubject(server: Sshd): Subject {
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

/** An account with sudo permission for `chpasswd` sets the passwords. */
async function unixReconciled(): Promise<Subject> {
  const server = await startUnlimitedSshd();
  const reconcileUser = await server.addUser("active", { sudo: "/usr/sbin/chpasswd" });
  const kind = { system_type: "Linux", connection_method: "SSH" } as const;
  return {
    ...unixSubject(server),
    name: "Linux password, by a reconcile account",
    reconciler: { kind, account: { type: "server", username: reconcileUser.username, value: reconcileUser.password } },
  };
}

async function unixKey(): Promise<Subject> {
  const server = await startUnlimitedSshd(["AuthorizedKeysFile .ssh/authorized_keys"]);
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

async function directoryReconciled(machines: readonly string[]): Promise<Subject> {
  const { administrator, ...subject } = await activeDirectory(machines);
  const kind = { system_type: "Windows", connection_method: "RDP" } as const;
  return { ...subject, name: "Active Directory, by a reconcile account", reconciler: { kind, account: administrator } };
}

async function activeDirectory(machines: readonly string[]): Promise<Subject & { administrator: AccountBody }> {
  const authority = await makeAuthority();
  const server = await startSambaAd(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { protocol: "active-directory", domain: server.realm, ca: authority.certificate };
  return {
    name: "Active Directory",
    version: "Samba",
    upstream: server,
    isOldAccepted: true,
    administrator: {
      type: "password",
      username: server.administrator.username,
      value: server.administrator.password,
      additional_params,
    },
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

async function rabbitmq(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startRabbitmq(await authority.issue(["127.0.0.1", ...machines]));
  // Logins use separate proxies without faults, one per machine.
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

/** RabbitMQ's management interface serves as a web site with a request that changes passwords. */
async function webSite(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startRabbitmq(await authority.issue(["127.0.0.1", ...machines]));
  const tags = "administrator";
  const additional_params = {
    protocol: "http-basic",
    check_path: "/api/whoami",
    change_path: "/api/users/{username}",
    change_body: { password: "{new}", tags },
    ca: authority.certificate,
  };
  return {
    name: "Web site (HTTP basic)",
    version: "RabbitMQ's management interface",
    upstream: { host: server.host, port: server.managementPort },
    connections: [],
    account: async () => {
      const { username, password } = await server.addUser(tags);
      return { type: "application", username, value: password, additional_params };
    },
    stop: () => server.stop(),
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
  { name: "http-basic", needs: needs(rabbitmqAvailable(), TLS), start: webSite },
  { name: "postgresql-reconcile", needs: needs(postgresqlAvailable()), start: postgresqlReconciled },
  {
    name: "dependents",
    needs: needs(postgresqlAvailable()),
    start: async () => ({ ...(await postgresqlReconciled()), name: "Dependents: a PostgreSQL user on another server" }),
    testBed: openDependentTestBed,
  },
  { name: "linux-reconcile", needs: needs(unixUsersAvailable()), start: unixReconciled },
  { name: "active-directory-reconcile", needs: needs(sambaAdAvailable(), TLS), start: directoryReconciled },
  { name: "aws", needs: needs(TLS), start: aws },
  { name: "azure", needs: needs(TLS), start: azure },
  { name: "google-cloud", needs: needs(TLS), start: googleCloud },
  { name: "cisco-ios", needs: {}, start: ios },
  { name: "mongodb", needs: needs(TLS), start: mongodb },
  { name: "mssql", needs: needs(TLS), start: mssql },
  { name: "oracle", needs: needs(TLS), start: oracle },
  { name: "winrm", needs: needs(TLS), start: winrm },
];
