// Reads the supported parts of a connection string. The string cannot name a file or contain a password.
import { connectionAddress } from "@strongroom/contract";
import type { Failure, Target } from "./connector.ts";
import { misconfigured } from "./finding.ts";

export interface DatabaseAddress {
  /** Lower case, without the colon; null when there is no connection string. */
  scheme: string | null;
  host: string;
  port: number;
  username: string;
  database: string | null;
  /** The TLS mode in the string, or null. */
  tlsMode: string | null;
}

/** The scheme of a connection string without its colon, lower case, or null. */
export function schemeOf(connectionString: string | null): string | null {
  return /^([a-z][a-z0-9+.-]*):\/\//i.exec(connectionString ?? "")?.[1]?.toLowerCase() ?? null;
}

/**
 * The address of a database. A connection string overrides host, port and database (CRED-38); the user name of the
 * entry overrides the one in the string. A password in the string is refused: it would be stored unencrypted.
 */
export function databaseAddress(
  target: Target,
  schemes: readonly string[],
  defaultPort: number,
): DatabaseAddress | { failure: Failure } {
  const url = target.connectionString === null ? null : URL.parse(target.connectionString);
  if (target.connectionString !== null && url === null)
    return refuse("The connection string must have the form scheme://host:port/database.");
  const scheme = schemeOf(target.connectionString);
  if (scheme !== null && !schemes.includes(scheme)) {
    return refuse(`The connection string is for ${scheme}, but this entry needs ${schemes.join(" or ")}.`);
  }
  if (url !== null && holdsPassword(url)) {
    return refuse(
      "The connection string contains a password. Remove it: the string is stored unencrypted, and the password in it is not used. Put the password into the secret field.",
    );
  }
  if (url !== null && FILE_PARAMS.some((name) => url.searchParams.has(name))) {
    return refuse(
      'The connection string refers to a certificate file. Paste the certificate itself into the additional parameter "ca".',
    );
  }
  const decoded = url === null ? undefined : connectionAddress(url);
  if (decoded === null)
    return refuse("The connection string contains a percent sign that is not followed by two hexadecimal digits.");
  if (decoded !== undefined && Object.values(decoded).some((part) => typeof part === "string" && holdsControl(part)))
    return refuse("The connection string contains a control character.");

  const host = (decoded?.host || target.host) ?? "";
  const username = (target.username || decoded?.username) ?? "";
  if (host === "") return refuse("The host is missing.");
  if (username === "") return refuse("The user name is missing.");
  return {
    scheme,
    host,
    port: decoded?.port ?? target.port ?? defaultPort,
    username,
    database: decoded?.database || target.databaseName,
    tlsMode: url?.searchParams.get("sslmode") ?? url?.searchParams.get("ssl-mode") ?? null,
  };
}

/** INVARIANT: no NUL reaches a driver: PostgreSQL's protocol would read the rest as another parameter. */
export const holdsControl = (text: string): boolean => /\p{Cc}/u.test(text);

const FILE_PARAMS = ["sslrootcert", "sslcert", "sslkey", "ssl-ca", "ssl-cert", "ssl-key"];

function holdsPassword(url: URL): boolean {
  return url.password !== "" || url.searchParams.has("password") || url.searchParams.has("passwd");
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
