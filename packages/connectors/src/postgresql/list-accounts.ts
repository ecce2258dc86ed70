// Lists the roles of a PostgreSQL server, as far as the login can see them.
import type { Client } from "pg";
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { listCommand, listed } from "../finding.ts";
import type { ListedPrivilege } from "../collected.ts";
import { linkedServer, MAX_LINKED_SERVERS, withLinkedServers, type LinkedServer } from "../linked-servers.ts";
import { membersByGroup, pathsTo } from "../privilege-paths.ts";
import { loginFailure } from "./login-failure.ts";
import { logIn } from "./login.ts";

/**
 * Facts: `canLogin`, `isSuperuser`, `createsRoles`, `createsDatabases`, `replicates`, `bypassesRowSecurity`,
 * `connectionLimit` (-1: none), `memberOf` (at most 100), and `passwordKind` (`scram-sha-256`, `md5`, `none`) if the
 * login can read it.
 */
export async function listRoles(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const login = await logIn(target, password, current, { maxReceivedBytes: MAX_LISTED_BYTES });
  if ("failure" in login) return login.failure;
  const { client, address, tls } = login.loggedIn;
  current.waitFor(`${nameOf(address)} to list its roles`);
  try {
    const kinds = await passwordKinds(client);
    const { rows } = await client.query<Row>(ROLES, [MAX_LISTED_ACCOUNTS + 1]);
    const reasons = await reasonsIn(client, rows);
    const accounts = rows.map((row) => accountOf(row, kinds, reasons(String(row.name))));
    const commands = [
      listCommand(
        "SELECT from pg_authid",
        kinds?.size ?? null,
        "kind of password",
        "The login may not read pg_authid.",
      ),
      listCommand("SELECT from pg_roles", rows.length, "role"),
    ];
    const finding = { ...listed(accounts, nameOf(address)), commands };
    return await withLinkedServers(finding, "SELECT from pg_user_mappings", () => mappedLogins(client));
  } catch (error) {
    return loginFailure(error, address, tls.mode !== "disable");
  }
}

/**
 * Only superusers can read pg_authid unless others were granted that: null for them. The hashes stay on the server.
 */
async function passwordKinds(client: Client): Promise<Map<string, string> | null> {
  const { rows: may } = await client.query("select has_table_privilege('pg_catalog.pg_authid', 'select') as may");
  if (may[0]?.may !== true) return null;
  const { rows } = await client.query<{ name: unknown; kind: unknown }>(KINDS, [MAX_LISTED_ACCOUNTS + 1]);
  return new Map(rows.map(({ name, kind }) => [String(name), String(kind)]));
}

/** Roles with rights on the server's files and programs, with which a member can make itself superuser. */
const SERVER_ROLES = ["pg_execute_server_program", "pg_read_server_files", "pg_write_server_files"];

/** Why a role is privileged: its own attributes, and those of the roles that it is a member of. */
async function reasonsIn(client: Client, rows: readonly Row[]): Promise<(name: string) => ListedPrivilege[]> {
  const { rows: pairs } = await client.query<{ role: unknown; member: unknown }>(MEMBERSHIPS, [MAX_MEMBERSHIPS]);
  const members = membersByGroup(pairs.map(({ role, member }) => [String(role), String(member)] as const));
  const namesOf = (isChosen: (row: Row) => boolean) => rows.filter(isChosen).map(({ name }) => String(name));
  const goals = [
    { kind: "superuser", right: "SUPERUSER", names: namesOf((row) => row.is_super === true) },
    { kind: "escalation", right: "CREATEROLE", names: namesOf((row) => row.grants_all === true) },
    ...SERVER_ROLES.map((role) => ({ kind: "escalation", right: role, names: [role] }) as const),
  ] as const;
  const searched = goals.map(({ names, ...goal }) => ({
    ...goal,
    own: new Set(names),
    paths: pathsTo(names, members),
  }));
  return (name) =>
    searched.flatMap(({ kind, right, own, paths }) => {
      const path = own.has(name) ? [] : paths.get(name);
      if (path === undefined) return [];
      return [{ kind, path: path.slice(0, 20), detail: path.length === 0 ? [right] : [], needsPassword: false }];
    });
}

const MAX_MEMBERSHIPS = 50_000;

/** Of the database that the login is connected to. Only the owner of a server and superusers see its options. */
async function mappedLogins(client: Client): Promise<(LinkedServer | null)[]> {
  const { rows } = await client.query<Record<"name" | "host" | "port" | "login", unknown>>(MAPPINGS, [
    MAX_LINKED_SERVERS,
  ]);
  return rows.map(({ name, host, port, login }) => linkedServer(name, host, port, login));
}

function accountOf(row: Row, kinds: Map<string, string> | null, privileges: ListedPrivilege[]): ListedAccount {
  const name = String(row.name);
  const createsRoles = row.creates_roles === true;
  return {
    name,
    isPrivileged: row.is_privileged === true,
    isLocked: row.can_login !== true,
    passwordChangedAt: null,
    expiresAt: /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.exec(String(row.valid_until))?.[0] ?? null,
    lastLoginAt: null,
    facts: {
      canLogin: row.can_login === true,
      isSuperuser: row.is_super === true,
      createsRoles,
      createsDatabases: row.creates_databases === true,
      replicates: row.replicates === true,
      bypassesRowSecurity: row.bypasses === true,
      connectionLimit: Number(row.connection_limit),
      memberOf: Array.isArray(row.member_of) ? row.member_of.map(String) : [],
      ...(kinds === null ? {} : { passwordKind: kinds.get(name) ?? "none" }),
    },
    privileges,
  };
}

/** The server also determines the column types, so no type is assumed. */
interface Row {
  name: unknown;
  is_super: unknown;
  creates_roles: unknown;
  creates_databases: unknown;
  replicates: unknown;
  bypasses: unknown;
  can_login: unknown;
  connection_limit: unknown;
  valid_until: unknown;
  member_of: unknown;
  is_privileged: unknown;
  grants_all: unknown;
}

const MAPPINGS = `
  select s.srvname::text as name,
         (select substr(o, 6) from unnest(s.srvoptions) o where o like 'host=%' limit 1) as host,
         (select substr(o, 6) from unnest(s.srvoptions) o where o like 'port=%' limit 1) as port,
         (select substr(o, strpos(o, '=') + 1) from unnest(m.umoptions) o
           where o like 'user=%' or o like 'username=%' limit 1) as login
    from pg_user_mappings m join pg_foreign_server s on s.oid = m.srvid
   where m.umoptions is not null order by 1 limit $1`;

/**
 * A role is privileged if it is a superuser, can become one by membership, can run programs or access files on the
 * server, or can (until 15) grant the rights to do so.
 */
const ROLES = `
  with mighty as (
    select oid from pg_roles where rolsuper
        or rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
        or (rolcreaterole and current_setting('server_version_num')::int < 160000))
  select r.rolname::text as name, r.rolsuper as is_super, r.rolcreaterole as creates_roles,
         r.rolcreatedb as creates_databases, r.rolreplication as replicates, r.rolbypassrls as bypasses,
         r.rolcanlogin as can_login, r.rolconnlimit as connection_limit,
         case when isfinite(r.rolvaliduntil) then to_char(r.rolvaliduntil at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end as valid_until,
         array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
                where m.member = r.oid order by 1 limit 100) as member_of,
         exists (select from mighty where pg_has_role(r.oid, mighty.oid, 'member')) as is_privileged,
         r.rolcreaterole and not r.rolsuper and current_setting('server_version_num')::int < 160000 as grants_all
    from pg_roles r where r.rolname !~ '^pg_' order by r.rolname limit $1`;

const KINDS = `
  select rolname::text as name,
         case when rolpassword is null then 'none' when rolpassword like 'SCRAM-SHA-256$%' then 'scram-sha-256' else 'md5' end as kind
    from pg_authid where rolname !~ '^pg_' order by rolname limit $1`;

const MEMBERSHIPS = `
  select g.rolname::text as role, r.rolname::text as member
    from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles r on r.oid = m.member
   order by 1, 2 limit $1`;
