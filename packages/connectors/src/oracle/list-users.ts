// Lists the users of an Oracle database, with a login that can read its DBA views.
import type { ScanCommand } from "@strongroom/contract";
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { ListedPrivilege } from "../collected.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { listCommand, listed, rejected } from "../finding.ts";
import { hostOf, linkedServer, withLinkedServers } from "../linked-servers.ts";
import { membersByGroup, pathsTo } from "../privilege-paths.ts";
import { numberOf } from "./failures.ts";
import { openSession, type Session } from "./session.ts";
import { DATABASE_LINKS, ROLE_GRANTS, SYSDBAS, SYSTEM_PRIVILEGES, USERS } from "./statements.ts";

const MAX_GRANTS = 50_000;

type Row = readonly unknown[];

/** Facts: `status`, `authentication`, `profile`, `isOracleMaintained`. */
export async function listUsers(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const session = await openSession(target, { username: target.username, password }, current, MAX_LISTED_BYTES);
  if ("failure" in session) return session.failure;
  const where = nameOf(session.address);
  current.waitFor(`${where} to list its users`);
  try {
    const users = await rowsOf(session, USERS, MAX_LISTED_ACCOUNTS + 1);
    const commands = [listCommand("SELECT from dba_users", users.length, "user")];
    const reasonsFor = await reasonsIn(session, commands);
    const finding = {
      ...listed(
        users.flatMap((row) => shown(row, reasonsFor)),
        where,
      ),
      commands,
    };
    return await withLinkedServers(finding, "SELECT from dba_db_links", async () =>
      (await rowsOf(session, DATABASE_LINKS, MAX_GRANTS)).map(([name, source, login]) => {
        const { host, port } = hostOf(source);
        return linkedServer(name, host, port, login);
      }),
    );
  } catch (error) {
    const number = numberOf(error);
    if (number === null || number < 0) return connectionFailure(null, session.address);
    return rejected(
      "no-permission",
      `${where} does not show its users to ${session.address.username} (ORA-${String(number).padStart(5, "0")}). Grant it SELECT_CATALOG_ROLE.`,
    );
  } finally {
    session.close();
  }
}

async function rowsOf({ connection }: Session, statement: string, limit: number): Promise<Row[]> {
  const { rows = [] } = await connection.execute<Row>(statement, [], {
    maxRows: limit,
    prefetchRows: limit,
    fetchArraySize: limit,
  });
  return rows;
}

/** Pairs of a right and its owner; null and a failed command if the login may not read them. */
async function pairsOf(session: Session, commands: ScanCommand[], view: string, statement: string) {
  try {
    const rows = await rowsOf(session, statement, MAX_GRANTS);
    commands.push(listCommand(`SELECT from ${view}`, rows.length, "row"));
    return rows.map(([right, owner]) => [String(right), String(owner)] as const);
  } catch (error) {
    if (numberOf(error) === null) throw error;
    commands.push(listCommand(`SELECT from ${view}`, null, "row"));
    return null;
  }
}

/** Why a user is privileged: its own rights, and those of the roles that it has. */
async function reasonsIn(session: Session, commands: ScanCommand[]): Promise<(name: string) => ListedPrivilege[]> {
  const grants = (await pairsOf(session, commands, "dba_role_privs", ROLE_GRANTS)) ?? [];
  const rights = (await pairsOf(session, commands, "dba_sys_privs", SYSTEM_PRIVILEGES)) ?? [];
  const sysdbas = (await pairsOf(session, commands, "v$pwfile_users", SYSDBAS)) ?? [];
  const members = membersByGroup(grants);
  const toDba = pathsTo(["DBA"], members);
  const rightsOf = Map.groupBy(rights, ([, owner]) => owner);
  const toRights = pathsTo(rightsOf.keys(), members);
  const administrators = new Set(sysdbas.map(([name]) => name));
  const shared = { needsPassword: false } as const;
  return (name) => {
    const [dba, inherited] = [toDba.get(name), toRights.get(name)];
    const own = (rightsOf.get(name) ?? []).map(([right]) => right);
    return [
      ...(administrators.has(name) ? [{ ...shared, kind: "superuser", path: [], detail: ["SYSDBA"] } as const] : []),
      ...(dba === undefined ? [] : [{ ...shared, kind: "superuser", path: dba.slice(0, 20), detail: [] } as const]),
      ...(own.length === 0 ? [] : [{ ...shared, kind: "escalation", path: [], detail: own.slice(0, 20) } as const]),
      ...(inherited === undefined || dba !== undefined
        ? []
        : [{ ...shared, kind: "escalation", path: inherited.slice(0, 20), detail: [] } as const]),
    ];
  };
}

const momentOf = (value: unknown): string | null =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) ? value : null;

const wordOf = (value: unknown): string | null => (typeof value === "string" ? value.slice(0, 128) : null);

function shown(row: Row, reasonsFor: (name: string) => ListedPrivilege[]): ListedAccount[] {
  const [name, status, expiry, login, authentication, profile, maintained] = row;
  if (typeof name !== "string" || name === "") return [];
  const privileges = reasonsFor(name);
  return [
    {
      name,
      isPrivileged: privileges.length > 0,
      isLocked: typeof status === "string" && status.includes("LOCKED"),
      passwordChangedAt: null,
      expiresAt: momentOf(expiry),
      lastLoginAt: momentOf(login),
      privileges,
      facts: {
        status: wordOf(status),
        authentication: wordOf(authentication),
        profile: wordOf(profile),
        isOracleMaintained: maintained === "Y",
      },
    },
  ];
}
