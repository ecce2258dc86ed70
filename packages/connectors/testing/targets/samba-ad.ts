// A real Active Directory domain controller on loopback: Samba's, with only its LDAP service. Root only: its LDAP ports
// are fixed.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Attribute, Change, Client } from "ldapts";
import { sidText } from "../../src/active-directory/security-id.ts";
import type { ServerCertificate } from "../certificates.ts";
import type { Unavailable } from "./availability.ts";
import {
  firstExisting,
  isRoot,
  runTool,
  startServer,
  acquireExclusive,
  temporaryFolder,
  untilListening,
} from "./server-process.ts";

export interface DomainUser {
  /** sAMAccountName. */
  username: string;
  password: string;
  dn: string;
}

export interface SambaAd {
  host: string;
  /** LDAPS. */
  port: number;
  /** As in `CORP\user`. */
  domain: string;
  /** As in `user@corp.test`. */
  realm: string;
  base: string;
  administrator: DomainUser;
  /** A new user with a random password. */
  addUser(attributes?: Record<string, string>): Promise<DomainUser>;
  /** A new group with these members (DNs). */
  addGroup(members: readonly string[]): Promise<string>;
  /** Sets attributes of an entry as the administrator. */
  set(dn: string, attributes: Record<string, string>): Promise<void>;
  addMember(group: string, member: string): Promise<void>;
  /** Grants `trustee` (a DN) the right to reset the password of `dn`. */
  delegateReset(dn: string, trustee: string): Promise<void>;
  /** Restarts the controller, which until then accepts only the current password. */
  acceptOldPasswords(minutes: number): Promise<void>;
  stop(): Promise<void>;
}

const SAMBA = ["/usr/sbin/samba"];
const TOOL = ["/usr/bin/samba-tool"];
const BASE = "DC=corp,DC=test";
const PORT = 636;

export function sambaAdAvailable(): Unavailable {
  if (!isRoot) return "only root can start a domain controller: its ports are fixed";
  const isInstalled = firstExisting(SAMBA) !== null && firstExisting(TOOL) !== null;
  return isInstalled ? null : "there is no Samba domain controller (install samba-ad-dc and samba-ad-provision)";
}

/**
 * Three failures lock an account for half an hour; passwords have 7 characters of 3 kinds; the last 24 cannot be
 * reused. Only one controller runs on a machine at a time: another process waits for it.
 */
export async function startSambaAd(certificate: ServerCertificate): Promise<SambaAd> {
  const folder = temporaryFolder(null);
  const at = (name: string) => join(folder.path, name);
  const password = strongPassword();
  await provision(at("dc"), password);
  for (const name of ["run", "dc/cache"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("server.crt"), certificate.certificate);
  writeFileSync(at("server.key"), certificate.privateKey, { mode: 0o600 });
  configure(at("dc/etc/smb.conf"), folder.path);
  const release = await acquireExclusive("samba-ad");
  const launch = async () => {
    const args = ["-i", "-M", "single", `--configfile=${at("dc/etc/smb.conf")}`];
    const started = startServer({ command: firstExisting(SAMBA) ?? "samba", args });
    await untilListening(PORT);
    return started;
  };
  let server = await launch();

  const administrator = { username: "Administrator", password, dn: `CN=Administrator,CN=Users,${BASE}` };
  const client = new Client({ url: `ldaps://127.0.0.1:${PORT}`, tlsOptions: { rejectUnauthorized: false } });
  const logIn = () => client.bind(administrator.dn, password);
  await logIn();
  await client.modify(BASE, [change("replace", "minPwdAge", "0"), change("replace", "lockoutThreshold", "3")]);

  return {
    host: "127.0.0.1",
    port: PORT,
    domain: "CORP",
    realm: "corp.test",
    base: BASE,
    administrator,
    addUser: async (attributes = {}) => {
      const user = newUser();
      const texts = { objectClass: "user", sAMAccountName: user.username, userAccountControl: "512", ...attributes };
      const quoted = Buffer.from(`"${user.password}"`, "utf16le");
      await client.add(user.dn, [
        ...Object.entries(texts).map(([type, value]) => new Attribute({ type, values: [value] })),
        new Attribute({ type: "unicodePwd", values: [quoted] }),
      ]);
      return user;
    },
    addGroup: async (members) => {
      const dn = `CN=grp-${randomBytes(4).toString("hex")},CN=Users,${BASE}`;
      await client.add(dn, { objectClass: "group", ...(members.length === 0 ? {} : { member: [...members] }) });
      return dn;
    },
    set: async (dn, attributes) => {
      await client.modify(
        dn,
        Object.entries(attributes).map(([name, value]) => change("replace", name, value)),
      );
    },
    addMember: async (group, member) => {
      await client.modify(group, change("add", "member", member));
    },
    delegateReset: async (dn, trustee) => {
      const right = `(OA;;CR;00299570-246d-11d0-a768-00aa006e0529;;${await sidOf(client, trustee)})`;
      await runTool(firstExisting(TOOL) ?? "samba-tool", [
        "dsacl",
        "set",
        `--configfile=${at("dc/etc/smb.conf")}`,
        `--URL=${at("dc/private/sam.ldb")}`,
        `--objectdn=${dn}`,
        `--sddl=${right}`,
      ]);
    },
    acceptOldPasswords: async (minutes) => {
      await client.unbind();
      await server.stop();
      setOption(at("dc/etc/smb.conf"), "old password allowed period", String(minutes));
      server = await launch();
      await logIn();
    },
    stop: async () => {
      await client.unbind();
      await server.stop();
      await release();
      folder.remove();
    },
  };
}

/** With all the kinds of characters that the domain requires. */
export function strongPassword(): string {
  return `Aa1-${randomBytes(12).toString("base64url")}`;
}

function newUser(): DomainUser {
  const username = `srt-${randomBytes(4).toString("hex")}`;
  return { username, password: strongPassword(), dn: `CN=${username},CN=Users,${BASE}` };
}

function change(operation: "add" | "replace", type: string, value: string): Change {
  return new Change({ operation, modification: new Attribute({ type, values: [value] }) });
}

async function sidOf(client: Client, dn: string): Promise<string> {
  const attributes = ["objectSid"];
  const { searchEntries } = await client.search(dn, {
    scope: "base",
    attributes,
    explicitBufferAttributes: attributes,
  });
  return sidText(searchEntries[0]?.["objectSid"] as Buffer);
}

async function provision(folder: string, password: string): Promise<void> {
  await runTool(firstExisting(TOOL) ?? "samba-tool", [
    "domain",
    "provision",
    "--configfile=/dev/null",
    `--targetdir=${folder}`,
    "--realm=CORP.TEST",
    "--domain=CORP",
    "--server-role=dc",
    "--dns-backend=NONE",
    `--adminpass=${password}`,
    "--host-name=dc1",
    "--host-ip=127.0.0.1",
  ]);
}

/** Only LDAP, only on loopback; the other services would need fixed sockets and more processes. */
function configure(file: string, folder: string): void {
  const options = [
    "[global]",
    "interfaces = 127.0.0.1/8",
    "bind interfaces only = Yes",
    "disable netbios = Yes",
    "old password allowed period = 0",
    `tls certfile = ${folder}/server.crt`,
    `tls keyfile = ${folder}/server.key`,
    "tls cafile =",
    `log file = ${folder}/log`,
    `pid directory = ${folder}/run`,
    `ncalrpc dir = ${folder}/run/ncalrpc`,
    `ntp signd socket directory = ${folder}/run/ntp`,
  ];
  writeFileSync(file, readFileSync(file, "utf8").replace("[global]", options.join("\n")));
  setOption(file, "server services", "ldap");
}

function setOption(file: string, name: string, value: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(new RegExp(`${name} = .*`), `${name} = ${value}`));
}
