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
