// The statements that set a MySQL or MariaDB password, and their quoting.
import { createHash } from "node:crypto";

/** An account is a name and a client host: the same name with a different host is a different account. */
export interface AccountName {
  user: string;
  host: string;
}

/** In this mode a backslash is an ordinary character, so doubling the quotes is enough. */
export const QUOTING_MODE = "NO_BACKSLASH_ESCAPES";

/** For sessions in `QUOTING_MODE` only. */
export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** True for a text whose quoting is the same in every mode. */
export const isPlain = (text: string) => !/['\\]/.test(text);

/** The stored form of mysql_native_password: `*` and the hexadecimal SHA-1 of the password's SHA-1. */
export function nativeHash(password: string): string {
  const once = createHash("sha1").update(password, "utf8").digest();
  return `*${createHash("sha1").update(once).digest("hex").toUpperCase()}`;
}

/**
 * The statements to try, the least intrusive first: SET PASSWORD keeps an account's other authentication methods, and
 * needs UPDATE in the database mysql for other accounts; ALTER USER needs CREATE USER. `account` is null for the
 * account that is logged in, whatever its host.
 */
export function statementsFor(
  account: AccountName | null,
  candidate: string,
  { isMariadb, asHash }: { isMariadb: boolean; asHash: boolean },
): string[] {
  const name = account === null ? null : `${quoted(account.user)}@${quoted(account.host)}`;
  if (!isMariadb) return [`alter user ${name ?? "user()"} identified by ${quoted(candidate)}`];
  const value = asHash ? quoted(nativeHash(candidate)) : `password(${quoted(candidate)})`;
  if (name === null) return [`set password = ${value}`];
  const by = asHash ? `by password ${value}` : `by ${quoted(candidate)}`;
  return [`set password for ${name} = ${value}`, `alter user ${name} identified ${by}`];
}
