// The accounts with one user name on a MySQL or MariaDB server, and the one that applies to this machine.
import { BlockList, isIPv4 } from "node:net";
import { serverErrno } from "./login-failure.ts";
import type { LoggedIn } from "./login.ts";

export interface KnownAccount {
  host: string;
  plugin: string;
  /** Null when the login cannot see whether the account is locked. */
  isLocked: boolean | null;
}

/** The methods whose password the server stores itself; others delegate to PAM, a socket or Kerberos. */
const KEPT_HERE = ["", "mysql_native_password", "caching_sha2_password", "sha256_password"];

export const isKeptHere = ({ plugin }: KnownAccount) => KEPT_HERE.includes(plugin);

/** Null when the login cannot read the accounts. `name` is quoted for the session's mode. */
export async function accountsNamed(quotedName: string, loggedIn: LoggedIn): Promise<KnownAccount[] | null> {
  const { ask, isMariadb } = loggedIn;
  const where = `where user = ${quotedName} limit 1000`;
  const full = isMariadb
    ? `select host as host, json_value(priv, '$.plugin') as plugin, json_value(priv, '$.account_locked') as locked from mysql.global_priv ${where}`
    : `select host as host, plugin as plugin, account_locked = 'Y' as locked from mysql.user ${where}`;
  const rows =
    (await rowsIfAllowed(ask, full)) ??
    (await rowsIfAllowed(ask, `select host as host, plugin as plugin from mysql.user ${where}`));
  return (
    rows?.map(({ host, plugin, locked }) => ({
      host: String(host),
      plugin: typeof plugin === "string" ? plugin : "",
      isLocked: locked === undefined ? null : isTrue(locked),
    })) ?? null
  );
}

/** The server also determines the column types, so no type is assumed. */
interface Row {
  host: unknown;
  plugin: unknown;
  locked?: unknown;
}

/** Whether the value means true, in its JSON or its SQL form. */
export const isTrue = (value: unknown) => value === true || value === 1 || value === "1" || value === "true";

async function rowsIfAllowed(ask: LoggedIn["ask"], sql: string): Promise<Row[] | null> {
  try {
    return await ask<Row>(sql);
  } catch (error) {
    // The login may not read that table or column.
    if ([1142, 1143, 1044].includes(serverErrno(error) ?? 0)) return null;
    throw error;
  }
}

/**
 * The account that the server uses for a client from `seenHost` (MySQL manual, "Access Control, Stage 1"): the one
 * with the most specific matching host. Null when none matches.
 */
export function accountFor<Account extends { host: string }>(
  accounts: readonly Account[],
  seenHost: string,
): Account | null {
  const [first = null] = accounts
    .filter(({ host }) => matches(host, seenHost))
    .toSorted((a, b) => specificity(b.host) - specificity(a.host));
  return first;
}

/**
 * Literal names and addresses first, then networks, then patterns by the position of their first wildcard; `''` is
 * last.
 */
function specificity(host: string): number {
  if (host === "") return -1;
  if (host.includes("/")) return 999;
  const wildcard = host.search(/[%_]/);
  return wildcard === -1 ? 1000 : wildcard;
}

function matches(host: string, seenHost: string): boolean {
  if (host === "") return true;
  const network = /^([\d.]+)\/([\d.]+)$/.exec(host);
  if (network !== null) return isInNetwork(seenHost, network[1] ?? "", network[2] ?? "");
  const pattern = host
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("%", ".*")
    .replaceAll("_", ".");
  return new RegExp(`^${pattern}$`, "i").test(seenHost);
}

/** `network/mask`, the mask as an address or (MySQL) as a number of bits. */
function isInNetwork(seenHost: string, network: string, mask: string): boolean {
  const bits = mask.includes(".")
    ? mask.split(".").reduce((sum, byte) => sum + Number(byte).toString(2).replaceAll("0", "").length, 0)
    : Number(mask);
  if (!isIPv4(seenHost) || !isIPv4(network) || !(bits >= 0 && bits <= 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, "ipv4");
  return list.check(seenHost, "ipv4");
}
