// The database and directory servers of the company, with their planted facts.
import { Secret } from "@strongroom/keys";
import type { Connector, ListResult, Target } from "../../src/connector.ts";
import { activeDirectory } from "../../src/active-directory/active-directory.ts";
import { ldap } from "../../src/ldap/ldap.ts";
import { mysql } from "../../src/mysql/mysql.ts";
import { postgresql } from "../../src/postgresql/postgresql.ts";
import { makeAuthority } from "../certificates.ts";
import { aContext, aTarget } from "../factories.ts";
import { mariadbAvailable, startMariadb } from "../targets/mariadb.ts";
import { openldapAvailable, startOpenldap } from "../targets/openldap.ts";
import { postgresqlAvailable, startPostgresql } from "../targets/postgresql.ts";
import { sambaAdAvailable, startSambaAd } from "../targets/samba-ad.ts";
import type { Unavailable } from "../targets/availability.ts";
import { compare, type Score } from "./compare.ts";
import type { Fact } from "./plan.ts";

export interface PlannedServer {
  name: string;
  available: () => Unavailable;
  score: () => Promise<Score>;
}

async function list(connector: Connector, target: Partial<Target>, password: string): Promise<ListResult> {
  return connector.listAccounts!(aTarget(target), Secret.fromText(password), aContext({ timeoutMs: 60_000 }));
}

/** The accounts of a list and their privileges, without accounts that came with the server. */
function facts(result: ListResult, isOwn: (name: string) => boolean, more: readonly string[] = []): Fact[] {
  if (result.outcome !== "listed") return [`scan ${result.outcome}: ${result.message}`];
  return result.accounts
    .filter(({ name }) => isOwn(name))
    .flatMap(({ name, privileges = [], isLocked, facts: about }) => [
      `account ${name}`,
      ...(isLocked ? [`${name} cannot log in`] : []),
      ...privileges.map(({ kind, path }) => `privilege of ${name}: ${[kind, ...path].join(" > ")}`),
      ...more
        .filter((fact) => about[fact] === true || Array.isArray(about[fact]))
        .flatMap((fact) => {
          const value = about[fact];
          if (!Array.isArray(value)) return [`${name}: ${fact}`];
          return value.map((each) => `${name}: ${fact} ${String(each)}`);
        }),
    ]);
}

const postgres: PlannedServer = {
  name: "PostgreSQL",
  available: () => postgresqlAvailable(),
  score: async () => {
    const server = await startPostgresql();
    try {
      const { username, password } = server.superuser;
      await server.sql(`
        create role dba nologin superuser; create role seniors nologin in role dba; create role ann login in role seniors;
        create role ben login; create role programs nologin in role pg_execute_server_program;
        create role cat login in role programs; create role old login valid until '2020-01-01'; create role gone nologin`);
      const target = { type: "database", host: server.host, port: server.port, username, databaseName: "postgres" };
      const result = await list(
        postgresql,
        { ...target, additionalParams: { protocol: "postgresql", tls_mode: "disable" } },
        password,
      );
      return compare(
        [
          ...["dba", "seniors", "ann", "ben", "programs", "cat", "old", "gone"].map((name) => `account ${name}`),
          ...["dba", "seniors", "programs", "gone"].map((name) => `${name} cannot log in`),
          "privilege of dba: superuser",
          "privilege of seniors: superuser > dba",
          "privilege of ann: superuser > seniors > dba",
          "privilege of programs: escalation > pg_execute_server_program",
          "privilege of cat: escalation > programs > pg_execute_server_program",
        ],
        facts(result, (name) => name !== username && !name.startsWith("pg_")),
      );
    } finally {
      await server.stop();
    }
  },
};

const maria: PlannedServer = {
  name: "MariaDB",
  available: mariadbAvailable,
  score: async () => {
    const server = await startMariadb();
    try {
      const scanner = await server.addUser();
      for (const text of [
        `grant all on *.* to '${scanner.username}'@'127.0.0.1' with grant option`,
        "create role chiefs; grant all on *.* to chiefs; create role leads; grant chiefs to leads",
        "create user dora@'%' identified by 'Long-enough-1'; grant leads to dora@'%'",
        "create user emil@'%' identified by 'Long-enough-1'; grant select on mysql.* to emil@'%'",
        "create user finn@'%' identified by 'Long-enough-1' account lock; grant file on *.* to finn@'%'",
      ]) {
        for (const each of text.split("; ")) await server.sql(each);
      }
      const target = { type: "database", host: server.host, port: server.port, username: scanner.username };
      const params = { additionalParams: { protocol: "mysql", tls_mode: "disable" } };
      const result = await list(mysql, { ...target, ...params }, scanner.password);
      return compare(
        [
          ...["chiefs@", "leads@", "dora@%", "emil@%", "finn@%"].map((name) => `account ${name}`),
          ...["chiefs@", "leads@", "finn@%"].map((name) => `${name} cannot log in`),
          "privilege of chiefs@: superuser",
          "privilege of leads@: superuser > chiefs",
          "privilege of dora@%: superuser > leads > chiefs",
          "privilege of finn@%: escalation",
        ],
        facts(result, (name) => /^(chiefs|leads|dora|emil|finn)@/.test(name)),
      );
    } finally {
      await server.stop();
    }
  },
};

const openldap: PlannedServer = {
  name: "OpenLDAP",
  available: openldapAvailable,
  score: async () => {
    const authority = await makeAuthority();
    const group = (name: string, members: readonly string[]) =>
      [
        `dn: cn=${name},dc=corp,dc=test`,
        "objectClass: groupOfNames",
        `cn: ${name}`,
        ...members.map((each) => `member: ${each}`),
      ].join("\n");
    const person = (name: string) => `uid=${name},ou=people,dc=corp,dc=test`;
    const server = await startOpenldap({
      certificate: await authority.issue(["127.0.0.1"]),
      users: { gina: [], hugo: [], iris: [], jack: [] },
      ldif: [
        group("admins", ["cn=platform,dc=corp,dc=test", person("gina")]),
        group("platform", ["cn=night-shift,dc=corp,dc=test"]),
        group("night-shift", [person("hugo"), "cn=platform,dc=corp,dc=test"]),
        group("readers", [person("iris")]),
      ].join("\n\n"),
    });
    try {
      const { dn, password } = server.helpdesk;
      const target = { type: "server", host: server.host, port: server.tlsPort, username: dn };
      const params = { additionalParams: { protocol: "ldaps", ca: authority.certificate } };
      const result = await list(ldap, { ...target, ...params }, password);
      return compare(
        [
          ...["gina", "hugo", "iris", "jack"].map((name) => `account ${name}`),
          "privilege of gina: directory-admin > admins",
          "privilege of hugo: directory-admin > night-shift > platform > admins",
        ],
        facts(result, (name) => name !== "helpdesk"),
      );
    } finally {
      await server.stop();
    }
  },
};

const samba: PlannedServer = {
  name: "Active Directory (Samba)",
  available: sambaAdAvailable,
  score: async () => {
    const authority = await makeAuthority();
    const server = await startSambaAd(await authority.issue(["127.0.0.1", "dc1.corp.test"]));
    try {
      const nested = await server.addUser({ servicePrincipalName: "HTTP/shop.corp.test" });
      const operator = await server.addUser();
      const forever = await server.addUser({ userAccountControl: String(0x200 | 0x1_0000) });
      const trusted = await server.addUser({ userAccountControl: String(0x200 | 0x8_0000) });
      const gone = await server.addUser({ userAccountControl: String(0x200 | 0x2) });
      const inner = await server.addGroup([nested.dn]);
      const outer = await server.addGroup([inner]);
      await server.addMember(`CN=Domain Admins,CN=Users,${server.base}`, outer);
      await server.addMember(`CN=Backup Operators,CN=Builtin,${server.base}`, operator.dn);
      const cn = (dn: string) => /^CN=([^,]+)/.exec(dn)?.[1] ?? dn;
      const { username, password } = server.administrator;
      const params = { protocol: "active-directory", domain: server.realm, ca: authority.certificate };
      const target = { type: "server", host: server.host, port: server.port, username, additionalParams: params };
      const result = await list(activeDirectory, target, password);
      const own = [nested, operator, forever, trusted, gone];
      const [who, backup, endless, trust, disabled] = own.map((user) => user.username);
      return compare(
        [
          ...own.map((user) => `account ${user.username}`),
          `${disabled} cannot log in`,
          `privilege of ${who}: domain-admin > ${cn(inner)} > ${cn(outer)} > Domain Admins`,
          `${who}: servicePrincipalNames HTTP/shop.corp.test`,
          `privilege of ${backup}: escalation > Backup Operators`,
          `${endless}: passwordNeverExpires`,
          `privilege of ${trust}: impersonation`,
          "privilege of Administrator: domain-admin > Domain Admins",
          // Samba makes it a member of this group, too.
          "privilege of Administrator: escalation > Group Policy Creator Owners",
          "krbtgt: servicePrincipalNames kadmin/changepw",
          "account Administrator",
          "privilege of krbtgt: domain-admin > built-in key account",
          "account krbtgt",
          "krbtgt cannot log in",
        ],
        facts(result, (name) => name.startsWith("srt-") || ["Administrator", "krbtgt"].includes(name), [
          "servicePrincipalNames",
          "passwordNeverExpires",
        ]),
      );
    } finally {
      await server.stop();
    }
  },
};

export const servers: readonly PlannedServer[] = [postgres, maria, openldap, samba];
