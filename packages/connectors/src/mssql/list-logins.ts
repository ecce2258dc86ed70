// Lists the logins of a SQL Server that have a password, as far as this login can see them.
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import type { ListedPrivilege } from "../collected.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { listedBy, rejected } from "../finding.ts";
import { hostOf, linkedServer, MAX_LINKED_SERVERS, withLinkedServers } from "../linked-servers.ts";
import { openSession, ServerError, type Row } from "./session.ts";
import { ESCALATING, LINKED_SERVERS, LOGINS } from "./statements.ts";

export async function listLogins(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const session = await openSession(target, { username: target.username, password }, current, MAX_LISTED_BYTES);
  if ("failure" in session) return session.failure;
  const where = nameOf(session.address);
  try {
    const rows = await session.run(LOGINS(MAX_LISTED_ACCOUNTS + 1));
    const finding = listedBy("SELECT from sys.server_principals", rows.flatMap(shown), where);
    return await withLinkedServers(finding, "SELECT from sys.linked_logins", async () =>
      (await session.run(LINKED_SERVERS(MAX_LINKED_SERVERS))).map(({ name, source, login }) => {
        const { host, port } = hostOf(source);
        return linkedServer(name, host, port, login);
      }),
    );
  } catch (error) {
    if (error instanceof ServerError)
      return rejected(
        "no-permission",
        `${where} does not show its logins to ${session.address.username} (error ${error.numbers[0]}).`,
      );
    return connectionFailure(error, session.address);
  } finally {
    session.close();
  }
}

/** Of `LOGINPROPERTY`. */
const HASHES: Readonly<Record<string, string>> = { 0: "sql-7", 1: "sha-1", 2: "sha-512" };

function privilegesOf({ sysadmin, securityadmin, rights }: Row): ListedPrivilege[] {
  const shared = { needsPassword: false } as const;
  const own = (rights ?? "").split(",").filter((right) => ESCALATING.includes(right));
  return [
    ...(sysadmin === "1" ? [{ ...shared, kind: "superuser", path: ["sysadmin"], detail: [] } as const] : []),
    ...(securityadmin === "1" ? [{ ...shared, kind: "escalation", path: ["securityadmin"], detail: [] } as const] : []),
    ...(own.length === 0 ? [] : [{ ...shared, kind: "escalation", path: [], detail: own } as const]),
  ];
}

function shown(row: Row): ListedAccount[] {
  const { name, disabled, locked, changed, hash, must_change: mustChange, days_left: daysLeft } = row;
  if (typeof name !== "string" || name === "") return [];
  const privileges = privilegesOf(row);
  return [
    {
      name,
      isPrivileged: privileges.length > 0,
      isLocked: locked === "1" || disabled === "1",
      passwordChangedAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(changed ?? "")?.[0].concat("Z") ?? null,
      expiresAt: null,
      lastLoginAt: null,
      facts: {
        isDisabled: disabled === "1",
        passwordKind: HASHES[hash ?? ""] ?? null,
        mustChange: mustChange === "1",
        daysUntilExpiry: /^\d{1,6}$/.test(daysLeft ?? "") ? Number(daysLeft) : null,
      },
      privileges,
    },
  ];
}
