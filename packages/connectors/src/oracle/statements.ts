// Names and passwords as Oracle takes them, and the statements that hold them.

/** An identifier has up to 128 bytes, an older one 30; nothing can stand for a quotation mark in it. */
export function isName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return name !== "" && Buffer.byteLength(name) <= 128 && !/["\u0000-\u001f\u007f]/.test(name) && name.isWellFormed();
}

/** Passwords are quoted like identifiers: they hold no quotation mark either. */
export const isPassword = (password: string): boolean => isName(password);

/**
 * Without quotation marks Oracle reads letters as capitals: a name that needs none is written so. Which capitals letters beyond
 * ASCII have is for its character set to say, and no word of its language has one: such a name stands as it is.
 */
export function writtenName(name: string): string {
  if (!isPlain(name)) return `"${name}"`;
  // oxlint-disable-next-line no-control-regex
  return /^[\u0000-\u007f]*$/.test(name) ? `"${name.toUpperCase()}"` : name;
}

/** The same user at a log-in. Without quotation marks `a[b]` would be b who logs in with the password of a. */
export const loginName = (name: string): string => (isPlain(name) ? name : `"${name}"`);

const isPlain = (name: string): boolean => /^\p{L}[\p{L}\p{Nd}_$#]*$/u.test(name);

export const alterUser = (name: string, candidate: string): string =>
  `ALTER USER ${writtenName(name)} IDENTIFIED BY "${candidate}"`;

export const MAY_ALTER = "SELECT COUNT(*) FROM session_privs WHERE privilege = 'ALTER USER'";

/** A service of a listener: nothing that could end its place in a connect descriptor. */
export const isService = (service: string): boolean => /^[a-z0-9_$#][a-z0-9_.$#-]{0,127}$/i.test(service);
