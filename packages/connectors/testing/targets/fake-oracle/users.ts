// The users of an Oracle double, and the few statements that it carries out for them.
import { isPasswordOf, verifierOf, type Verifier } from "./verifier.ts";

export interface StoredUser {
  name: string;
  verifier: Verifier;
  mayAlter: boolean;
  /** Instead of letting it in: 28000 whatever the password is, the others only when it is right. */
  error: number | null;
  /** Told to whoever is let in. */
  warning: number | null;
}

export type Users = Map<string, StoredUser>;

/** Without quotation marks Oracle reads letters as capitals. */
export const nameIn = (written: string) =>
  /^".*"$/s.test(written) ? written.slice(1, -1) : written.trim().toUpperCase();

/** ORA-28003 for what the double's password rule does not like, ORA-00988 for what is no password; null when it is in force. */
export function setPassword(user: StoredUser, password: string): number | null {
  if (password === "" || password.includes('"')) return 988;
  if (password.length < 8) return 28_003;
  user.verifier = verifierOf(password);
  return null;
}

/** What a statement counts, or the number of the error with which it ends: 0 is none. */
export function carryOut(statement: string, by: StoredUser, users: Users): { count: number } | { error: number } {
  if (statement === "SELECT COUNT(*) FROM session_privs WHERE privilege = 'ALTER USER'")
    return { count: by.mayAlter ? 1 : 0 };
  return { error: /^ALTER USER /i.test(statement) ? (alter(statement, by, users) ?? 0) : 900 };
}

/** The whole statement or nothing: what is left over would be a second clause. */
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
