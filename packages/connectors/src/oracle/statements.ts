// Oracle names and passwords, and the statements that contain them.

/** An identifier has up to 128 bytes, or 30 in older releases; a quotation mark cannot be escaped in it. */
export function isName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return name !== "" && Buffer.byteLength(name) <= 128 && !/["\u0000-\u001f\u007f]/.test(name) && name.isWellFormed();
}

/** Passwords are quoted like identifiers: they cannot contain a quotation mark either. */
export const isPassword = (password: string): boolean => isName(password);

/**
 * Without quotation marks Oracle reads letters as upper case: a name that needs none is written that way. Upper-casing
 * letters beyond ASCII depends on the database's character set, and no keyword contains one: such a name is kept as is.
 */
export function writtenName(name: string): string {
  if (!isPlain(name)) return `"${name}"`;
  // oxlint-disable-next-line no-control-regex
  return /^[\u0000-\u007f]*$/.test(name) ? `"${name.toUpperCase()}"` : name;
}

/** The same user at login. Without quotation marks `a[b]` would be b, logging in with the password of a. */
export const loginName = (name: string): string => (isPlain(name) ? name : `"${name}"`);

const isPlain = (name: string): boolean => /^\p{L}[\p{L}\p{Nd}_$#]*$/u.test(name);

export const alterUser = (name: string, candidate: string): string =>
  `ALTER USER ${writtenName(name)} IDENTIFIED BY "${candidate}"`;

export const MAY_ALTER = "SELECT COUNT(*) FROM session_privs WHERE privilege = 'ALTER USER'";

/** A service of a listener: no character that could end its position in a connect descriptor. */
export const isService = (service: string): boolean => /^[a-z0-9_$#][a-z0-9_.$#-]{0,127}$/i.test(service);

const UTC = `'YYYY-MM-DD"T"HH24:MI:SS"Z"'`;

/** All columns are texts. Dates have the server's time zone. */
export const USERS = `SELECT username, account_status,
 TO_CHAR(SYS_EXTRACT_UTC(FROM_TZ(CAST(expiry_date AS TIMESTAMP), TO_CHAR(SYSTIMESTAMP, 'TZR'))), ${UTC}),
 TO_CHAR(SYS_EXTRACT_UTC(last_login), ${UTC}), authentication_type, profile, oracle_maintained
 FROM dba_users ORDER BY username`;

export const ROLE_GRANTS = "SELECT granted_role, grantee FROM dba_role_privs";

/** With one of these, an account can grant itself all others. */
const ESCALATING = [
  "ALTER USER",
  "BECOME USER",
  "CREATE ANY JOB",
  "EXECUTE ANY PROCEDURE",
  "GRANT ANY PRIVILEGE",
  "GRANT ANY ROLE",
];

export const SYSTEM_PRIVILEGES = `SELECT privilege, grantee FROM dba_sys_privs
 WHERE privilege IN (${ESCALATING.map((privilege) => `'${privilege}'`).join(", ")})`;

export const SYSDBAS = "SELECT username FROM v$pwfile_users WHERE sysdba = 'TRUE'";

export const DATABASE_LINKS = "SELECT db_link, host, username FROM dba_db_links WHERE username IS NOT NULL";
