// The login name of a native SSH client: `account`, `account%host` or `user%account%host`.

export interface LoginName {
  /** The email address of the Strongroom user; null when the login itself identifies the user. */
  user: string | null;
  /** The account's id, its name, or its user name on the target. */
  account: string;
  host: string | null;
}

const LONGEST = 600;

/** Null for any other form. A name that contains a `%` can be addressed by the account's id. */
export function parseLoginName(text: string): LoginName | null {
  const parts = text.split("%");
  if (text.length > LONGEST || !text.isWellFormed() || text.includes("\0")) return null;
  if (parts.length > 3 || parts.some((part) => part.trim() === "")) return null;
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 1) return { user: null, account: first, host: null };
  if (parts.length === 2) return { user: null, account: first, host: second };
  return { user: first, account: second, host: third };
}
