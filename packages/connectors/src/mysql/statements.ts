// The statements that put a MySQL or MariaDB password in force, and the quoting in them.
import { createHash } from "node:crypto";

/** An account is a name and where it may come from: the same name with another host is somebody else. */
export interface AccountName {
  user: string;
  host: string;
}

/** In this mode a backslash is a character like any other, so that doubling the quotes is all there is to quoting. */
export const QUOTING_MODE = "NO_BACKSLASH_ESCAPES";

/** For sessions in `QUOTING_MODE` only. */
export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** True for a text that is quoted alike in every mode. */
export const isPlain = (text: string) => !/['\\]/.test(text);

/** What mysql_native_password keeps: `*` and the hexadecimal SHA-1 of the password's SHA-1. */
export function nativeHash(password: string): string {
  const once = createHash("sha1").update(password, "utf8").digest();
  return `*${createHash("sha1").update(once).digest("hex").toUpperCase()}`;
}

/**
 * The ways to set it, the mildest first: SET PASSWORD leaves an account's other ways to log in as they are, and needs
 * UPDATE in the database mysql for others; ALTER USER needs CREATE USER. `account` is null for whoever has logged in, with
 * whatever host.
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
