// The users of the fake Oracle, and the few statements that it executes for them.
import { emptySchemas, searchAnswer, type FakeOracleSchemas } from "./schemas.ts";
import { isPasswordOf, verifierOf, type Verifier } from "./verifier.ts";

export interface StoredUser {
  name: string;
  verifier: Verifier;
  mayAlter: boolean;
  /** Returned instead of a successful login: 28000 for any password, other errors only when the password is correct. */
  error: number | null;
  /** Sent with a successful login. */
  warning: number | null;
}

export type Users = Map<string, StoredUser>;

/** Without quotation marks Oracle reads letters as upper case. */
export const nameIn = (written: string) =>
  /^".*"$/s.test(written) ? written.slice(1, -1) : written.trim().toUpperCase();

/** ORA-28003 for a password that breaks the fake's rule, ORA-00988 for an invalid one; null on success. */
export function setPassword(user: StoredUser, password: string): number | null {
  if (password === "" || password.includes('"')) return 988;
  if (password.length < 8) return 28_003;
  user.verifier = verifierOf(password);
  return null;
}

/** The contents of the fake's views besides the users. */
export interface Catalog {
  /** Pairs of a role or system privilege and its owner. */
  roles: [string, string][];
  privileges: [string, string][];
  sysdbas: string[];
  /** Name, host and user. */
  links: [string, string, string][];
  /** Queries of these views fail. */
  denied: Set<string>;
  /** The schemas, for searches. */
  schemas: FakeOracleSchemas;
}

export const emptyCatalog = (): Catalog => ({
  roles: [],
  privileges: [],
  sysdbas: [],
  links: [],
  denied: new Set(),
  schemas: emptySchemas(),
});

type Table = { names: string[]; rows: (string | null)[][] };

const NO_TABLE = 942;

function tableOf(statement: string, users: Users, catalog: Catalog): Table | { error: number } | null {
  const view = /FROM (dba_users|dba_role_privs|dba_sys_privs|v\$pwfile_users|dba_db_links)\b/.exec(statement)?.[1];
  if (view === undefined) return null;
  if (catalog.denied.has(view)) return { error: NO_TABLE };
  switch (view) {
    case "dba_users":
      return {
        names: ["USERNAME", "STATUS", "EXPIRY", "LOGIN", "AUTHENTICATION", "PROFILE", "MAINTAINED"],
        rows: [...users.values()].map(({ name, error }) => [
          name,
          error === 28_000 ? "LOCKED" : "OPEN",
          "2027-01-02T03:04:05Z",
          null,
          "PASSWORD",
          "DEFAULT",
          "N",
        ]),
      };
    case "dba_role_privs":
      return { names: ["ROLE", "GRANTEE"], rows: catalog.roles };
    case "dba_sys_privs":
      return { names: ["PRIVILEGE", "GRANTEE"], rows: catalog.privileges };
    case "v$pwfile_users":
      return { names: ["USERNAME"], rows: catalog.sysdbas.map((name) => [name]) };
    default:
      return { names: ["DB_LINK", "HOST", "USERNAME"], rows: catalog.links };
  }
}

/** The result of a query, or its error number (0 for success); null ends the connection. */
export function executeStatement(
  statement: string,
  by: StoredUser,
  users: Users,
  catalog: Catalog,
): { count: number } | { error: number } | Table | null {
  const found = searchAnswer(statement, catalog);
  if (found !== undefined) return found;
  const table = tableOf(statement, users, catalog);
  if (table !== null) return table;
  if (statement === "SELECT COUNT(*) FROM session_privs WHERE privilege = 'ALTER USER'")
    return { count: by.mayAlter ? 1 : 0 };
  return { error: /^ALTER USER /i.test(statement) ? (alter(statement, by, users) ?? 0) : 900 };
}

/** Matches whole statements only, because any remaining text would be a second clause. */
const ALTER =
  /^ALTER USER ("[^"]+"|\p{L}[\p{L}\p{Nd}_$#]*) IDENTIFIED BY ("[^"]*"|[a-z][\w$#]*)(?: REPLACE ("[^"]*"|[a-z][\w$#]*))?$/isu;
const plain = (written: string) => written.replace(/^"(.*)"$/s, "$1");

function alter(statement: string, by: StoredUser, users: Users): number | null {
  const [, name, password, old] = ALTER.exec(statement) ?? [];
  if (name === undefined || password === undefined) return 922;
  const user = users.get(nameIn(name));
  if (user !== by && !by.mayAlter) return 1031;
  if (user === undefined) return 1918;
  if (old !== undefined && !isPasswordOf(user.verifier, plain(old))) return 28_008;
  return setPassword(user, plain(password));
}
