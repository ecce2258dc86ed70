// Lists the accounts of a MySQL or MariaDB server, with a login that can read the database mysql.
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { listedBy, rejected } from "../finding.ts";
import { isTrue } from "./accounts.ts";
import { loginFailure, serverErrno } from "./login-failure.ts";
import type { ListedPrivilege } from "../collected.ts";
import { linkedServer, MAX_LINKED_SERVERS, withLinkedServers } from "../linked-servers.ts";
import { membersByGroup, pathsTo } from "../privilege-paths.ts";
import { logIn, type LoggedIn } from "./login.ts";

/**
 * Names are `user@host`. Facts: `user`, `host`, `plugin`, `isRole`, `hasPassword`, `isPasswordExpired`, `roles`
 * (MariaDB). Only the server reads hashes.
 */
export async function listUsers(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const login = await logIn(target, password, current, { maxReceivedBytes: MAX_LISTED_BYTES });
  if ("failure" in login) return login.failure;
  const { address, tls } = login.loggedIn;
  const where = nameOf(address);
  current.waitFor(`${where} to list its accounts`);
  try {
    const finding = listedBy("read the tables of accounts", await accountsOf(login.loggedIn), where);
    return await withLinkedServers(finding, "SELECT from mysql.servers", async () => {
      const rows = await login.loggedIn.ask<Record<"name" | "host" | "port" | "login", unknown>>(SERVERS);
      return rows.map((row) => linkedServer(row.name, row.host, row.port, row.login));
    });
  } catch (error) {
    if ([1142, 1143, 1044].includes(serverErrno(error) ?? 0)) {
      const message = `${address.username} has no permission to list the accounts of ${where} (SELECT in the database mysql).`;
      return rejected("no-permission", message);
    }
    return loginFailure(error, address, tls.mode !== "disable");
  }
}

async function accountsOf({ ask, isMariadb }: LoggedIn): Promise<ListedAccount[]> {
  const rows = await ask<Row>(isMariadb ? MARIADB : MYSQL);
  const grants = isMariadb ? await ask<Grant>(ROLES) : [];
  const rolesOf = Map.groupBy(grants, ({ user, host }) => `${String(user)}@${String(host)}`);
  const nameOf = ({ user, host }: { user: unknown; host: unknown }) => `${String(user)}@${String(host)}`;
  const members = membersByGroup(grants.map((grant) => [`${String(grant.role)}@`, nameOf(grant)] as const));
  const rightsOf = new Map(rows.map((row) => [nameOf(row), namedRights(row.rights)]));
  const withRights = (isChosen: (rights: string[]) => boolean) =>
    pathsTo(
      [...rightsOf].filter(([, rights]) => isChosen(rights)).map(([name]) => name),
      members,
    );
  const toSuper = withRights((rights) => rights.includes("SUPER"));
  const toOthers = withRights((rights) => rights.length > 0 && !rights.includes("SUPER"));
  const reasonsFor = (name: string): ListedPrivilege[] => {
    const own = rightsOf.get(name) ?? [];
    const shared = { needsPassword: false } as const;
    const inherited = (kind: "superuser" | "escalation", path: readonly string[] | undefined): ListedPrivilege[] =>
      path === undefined ? [] : [{ ...shared, kind, path: path.slice(0, 20).map(withoutAt), detail: [] }];
    const kind = own.includes("SUPER") ? "superuser" : "escalation";
    return [
      ...(own.length > 0 ? [{ ...shared, kind, path: [], detail: own } as const] : []),
      ...inherited("superuser", toSuper.get(name)),
      ...inherited("escalation", toOthers.get(name)),
    ];
  };
  const hostsOf = Map.groupBy(rows, ({ user }) => String(user));
  return rows.map((row) => {
    const name = nameOf(row);
    const privileges = reasonsFor(name);
    const user = String(row.user);
    // With several hosts, the name alone does not say which of the accounts a password belongs to.
    const isOnlyOne = user !== "" && !isTrue(row.is_role) && hostsOf.get(user)?.length === 1;
    return {
      name,
      ...(isOnlyOne ? { login: user } : {}),
      isPrivileged: privileges.length > 0,
      isLocked: isTrue(row.locked) || isTrue(row.is_role),
      passwordChangedAt: momentOf(row.changed_at),
      expiresAt: null,
      lastLoginAt: null,
      facts: {
        user,
        host: String(row.host),
        plugin: /^\w{1,64}$/.exec(String(row.plugin))?.[0] ?? null,
        isRole: isTrue(row.is_role),
        hasPassword: isTrue(row.has_password),
        isPasswordExpired: isTrue(row.is_expired),
        ...(isMariadb ? { roles: (rolesOf.get(name) ?? []).map(({ role }) => String(role)) } : {}),
      },
      privileges,
    };
  });
}

/** The server also determines the column types, so no type is assumed. */
interface Row {
  user: unknown;
  host: unknown;
  plugin: unknown;
  is_role: unknown;
  locked: unknown;
  has_password: unknown;
  is_expired: unknown;
  changed_at: unknown;
  /** Names with commas between. */
  rights: unknown;
}

interface Grant {
  user: unknown;
  host: unknown;
  role: unknown;
}

const SERVERS = `
  select server_name as name, host as host, cast(port as char) as port, username as login
    from mysql.servers order by server_name limit ${MAX_LINKED_SERVERS}`;

/** Seconds since 1970; 0 means that the password was marked as expired. */
function momentOf(seconds: unknown): string | null {
  const value = Number(seconds);
  const isMoment = Number.isSafeInteger(value) && value > 0 && value < 1e11;
  return isMoment ? new Date(value * 1000).toISOString() : null;
}

const POWERFUL = ["SUPER", "CREATE USER", "UPDATE", "FILE"];

const namedRights = (text: unknown): string[] =>
  (typeof text === "string" ? text : "").split(",").filter((each) => POWERFUL.includes(each));

/** Roles have no host: `role@`. */
const withoutAt = (name: string) => name.replace(/@$/, "");

/** Global rights with which an account can grant itself all others. */
const RIGHTS = `concat_ws(',', if(u.super_priv = 'Y', 'SUPER', null), if(u.create_user_priv = 'Y', 'CREATE USER', null),
         if(u.update_priv = 'Y', 'UPDATE', null), if(u.file_priv = 'Y', 'FILE', null))`;

const MARIADB = `
  select u.user as user, u.host as host, u.plugin as plugin, u.is_role = 'Y' as is_role, json_value(g.priv, '$.account_locked') as locked,
         u.authentication_string <> '' as has_password, u.password_expired = 'Y' as is_expired,
         json_value(g.priv, '$.password_last_changed') as changed_at, ${RIGHTS} as rights
    from mysql.user u join mysql.global_priv g on g.user = u.user and g.host = u.host
   order by u.user, u.host limit ${MAX_LISTED_ACCOUNTS + 1}`;

const MYSQL = `
  select u.user as user, u.host as host, u.plugin as plugin, false as is_role, u.account_locked = 'Y' as locked,
         u.authentication_string <> '' as has_password, u.password_expired = 'Y' as is_expired,
         unix_timestamp(u.password_last_changed) as changed_at, ${RIGHTS} as rights
    from mysql.user u order by u.user, u.host limit ${MAX_LISTED_ACCOUNTS + 1}`;

const ROLES = `select user as user, host as host, role as role from mysql.roles_mapping limit ${MAX_LISTED_ACCOUNTS}`;
