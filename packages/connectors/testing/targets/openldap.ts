// A real OpenLDAP server on loopback, with the password policy overlay, in plain LDAP (with StartTLS) and over TLS.
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerCertificate } from "../certificates.ts";
import type { Unavailable } from "./availability.ts";
import {
  firstExisting,
  freePorts,
  handOver,
  ordinaryAccount,
  runTool,
  startServer,
  temporaryFolder,
  untilListening,
} from "./server-process.ts";

export interface DirectoryUser {
  username: string;
  password: string;
  dn: string;
}

export interface OpenldapServer<Name extends string> {
  host: string;
  /** Plain, with StartTLS. */
  port: number;
  tlsPort: number;
  suffix: string;
  users: Record<Name, DirectoryUser>;
  /** Has permission to set the passwords of others. */
  helpdesk: DirectoryUser;
  /** A new user, with additional attributes as lines of LDIF. */
  addUser(more?: readonly string[]): Promise<DirectoryUser>;
  stop(): Promise<void>;
}

export interface OpenldapOptions<Name extends string> {
  certificate: ServerCertificate;
  /** Further lines of LDIF for each user; operational attributes such as `pwdReset: TRUE` too. */
  users: Record<Name, readonly string[]>;
  /** Further entries, as LDIF. */
  ldif?: string;
  /** Further lines for the password policy overlay. */
  overlay?: readonly string[];
}

const SLAPD = ["/usr/sbin/slapd", "/usr/libexec/slapd"];
const SUFFIX = "dc=corp,dc=test";

export function openldapAvailable(): Unavailable {
  return firstExisting(SLAPD) === null ? "there is no OpenLDAP server (install slapd)" : null;
}

/**
 * Three failures lock an account until it is unlocked; passwords have at least 8 characters, and the last two cannot
 * be reused.
 */
export async function startOpenldap<Name extends string>(
  options: OpenldapOptions<Name>,
): Promise<OpenldapServer<Name>> {
  const account = ordinaryAccount("openldap");
  const folder = temporaryFolder(account);
  const at = (name: string) => join(folder.path, name);
  const [port = 0, tlsPort = 0] = await freePorts(2);
  const names = Object.keys(options.users) as Name[];
  const users = Object.fromEntries(names.map((name) => [name, someone(name)])) as Record<Name, DirectoryUser>;
  const helpdesk = someone("helpdesk");
  const rootPassword = randomBytes(12).toString("base64url");
  const entries = names.map((name) => userEntry(users[name], options.users[name]));
  mkdirSync(at("data"), { mode: 0o700 });
  writeFileSync(at("server.crt"), options.certificate.certificate);
  writeFileSync(at("server.key"), options.certificate.privateKey, { mode: 0o600 });
  writeFileSync(at("slapd.conf"), configuration(folder.path, helpdesk.dn, rootPassword, options.overlay ?? []));
  writeFileSync(at("base.ldif"), [BASE, userEntry(helpdesk, []), ...entries, options.ldif ?? ""].join("\n\n"));
  await handOver(folder.path, account);
  const slapd = firstExisting(SLAPD) ?? "slapd";
  await runTool(slapd, ["-T", "add", "-f", at("slapd.conf"), "-l", at("base.ldif")], { account });
  const server = startServer({
    command: slapd,
    args: ["-d", "stats", "-f", at("slapd.conf"), "-h", `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${tlsPort}`],
    account,
  });
  await server.line(/slapd starting/);
  await untilListening(tlsPort);
  return {
    host: "127.0.0.1",
    port,
    tlsPort,
    suffix: SUFFIX,
    users,
    helpdesk,
    addUser: async (more = []) => {
      const user = someone(`srt-${randomBytes(4).toString("hex")}`);
      const file = at(`${user.username}.ldif`);
      writeFileSync(file, userEntry(user, more));
      const who = ["-x", "-H", `ldap://127.0.0.1:${port}`, "-D", `cn=root,${SUFFIX}`, "-w", rootPassword];
      await runTool("ldapadd", [...who, "-f", file]);
      return user;
    },
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

function someone(username: string): DirectoryUser {
  return { username, password: randomBytes(12).toString("base64url"), dn: `uid=${username},ou=people,${SUFFIX}` };
}

function userEntry({ username, password, dn }: DirectoryUser, more: readonly string[]): string {
  return [
    `dn: ${dn}`,
    "objectClass: inetOrgPerson",
    `uid: ${username}`,
    `cn: ${username}`,
    "sn: Test",
    `userPassword: ${password}`,
    ...more,
  ].join("\n");
}

const BASE = `dn: ${SUFFIX}
objectClass: dcObject
objectClass: organization
dc: corp
o: Corp

dn: ou=people,${SUFFIX}
objectClass: organizationalUnit
ou: people

dn: ou=policies,${SUFFIX}
objectClass: organizationalUnit
ou: policies

dn: cn=default,ou=policies,${SUFFIX}
objectClass: pwdPolicy
objectClass: device
cn: default
pwdAttribute: userPassword
pwdLockout: TRUE
pwdMaxFailure: 3
pwdMinLength: 8
pwdCheckQuality: 2
pwdInHistory: 2
pwdMustChange: TRUE

dn: cn=short,ou=policies,${SUFFIX}
objectClass: pwdPolicy
objectClass: device
cn: short
pwdAttribute: userPassword
pwdMaxAge: 60

dn: cn=slow,ou=policies,${SUFFIX}
objectClass: pwdPolicy
objectClass: device
cn: slow
pwdAttribute: userPassword
pwdMinAge: 86400`;

function configuration(folder: string, helpdesk: string, rootPassword: string, overlay: readonly string[]): string {
  return [
    ...["core", "cosine", "nis", "inetorgperson"].map((name) => `include /etc/ldap/schema/${name}.schema`),
    "modulepath /usr/lib/ldap",
    "moduleload back_mdb",
    "moduleload ppolicy",
    `pidfile ${folder}/slapd.pid`,
    `TLSCertificateFile ${folder}/server.crt`,
    `TLSCertificateKeyFile ${folder}/server.key`,
    "database mdb",
    `suffix "${SUFFIX}"`,
    `rootdn "cn=root,${SUFFIX}"`,
    `rootpw ${rootPassword}`,
    `directory ${folder}/data`,
    `access to attrs=userPassword by dn.exact="${helpdesk}" write by self =xw by anonymous auth by * none`,
    `access to * by users read by * none`,
    "overlay ppolicy",
    `ppolicy_default "cn=default,ou=policies,${SUFFIX}"`,
    "ppolicy_hash_cleartext",
    ...overlay,
    "",
  ].join("\n");
}
