// Decides which accounts a platform's reconcile account may act on, by safe, host and login settings. Pure.
import { connectorFor, isTelnet } from "@strongroom/connectors";
import type { Target } from "@strongroom/connectors";
import { isDeepStrictEqual } from "node:util";
import { destinationOf, loginTargetOf } from "#features/verification/index.ts";
import { BlockList, isIP } from "node:net";
import type { LoginRow } from "#features/verification/index.ts";

/** A stored login and its safe. */
export type LocatedLogin = LoginRow & { safe_id: string | null };

/** The reconcile account, with the hosts and safes that an administrator allowed beyond its own. */
export type ReconcileScope = LocatedLogin & { hosts: readonly string[]; safes: readonly string[] };

export interface OutOfScope {
  code:
    | "rotation.safe-not-reconcilable"
    | "rotation.host-not-reconcilable"
    | "rotation.not-reached-alike"
    | "rotation.host-key-unknown";
  message: string;
}

/**
 * Returns null when the account is in scope.
 *
 * INVARIANT: the reconcile account sets passwords only in its own safe and in safes that an administrator listed: a
 * user who adds an account named root to their own safe does not become root. It logs in only on its own host or on
 * listed hosts, to SSH hosts with a known key, and only with its own settings: no other user decides its port, its
 * encryption, its trusted certificates or the commands typed in its session.
 */
export function checkReconcileScope(it: LocatedLogin, by: ReconcileScope): OutOfScope | null {
  if (it.safe_id === null || (it.safe_id !== by.safe_id && !by.safes.includes(it.safe_id))) {
    const message =
      "The platform's reconcile account is not allowed in this safe. An administrator can add the safe to the platform.";
    return { code: "rotation.safe-not-reconcilable", message };
  }
  const host = destinationOf(it);
  if (!mayReconcileAt(host, destinationOf(by), by.hosts)) {
    const message = `The platform's reconcile account is not allowed on ${host ?? "this host"}. An administrator can add the host to the platform.`;
    return { code: "rotation.host-not-reconcilable", message };
  }
  if (!isDeepStrictEqual(wayOf(it), wayOf(by))) {
    const message =
      "The platform's reconcile account can only log in with its own settings. The port, encryption or additional parameters of this account differ.";
    return { code: "rotation.not-reached-alike", message };
  }
  if (!hasHostKey(it) || it.host_key !== null || isAtHome(it, by)) return null;
  const message =
    "The host key is not known yet, and the reconcile account's password is only sent to known hosts. Verify this account first.";
  return { code: "rotation.host-key-unknown", message };
}

const isAtHome = (it: LoginRow, by: ReconcileScope): boolean =>
  mayReconcileAt(destinationOf(it), destinationOf(by), []);

/** Whether the connector uses SSH, which identifies hosts by their keys. */
function hasHostKey(it: LoginRow): boolean {
  const target = loginTargetOf(it);
  const { id } = connectorFor(target);
  return id === "linux" || (id === "network-device" && !isTelnet(target));
}

/** Returns where the reconcile account logs in. On its own host, it expects the host key that is stored with it. */
export function reconcileTarget(it: LoginRow, by: ReconcileScope): Target {
  const target = loginTargetOf(it);
  return isAtHome(it, by) ? { ...target, knownHostKey: by.host_key ?? it.host_key } : target;
}

/**
 * These parameters say where a user is found in a directory or database, and never where a secret is sent. All other
 * parameters must match.
 */
const WHEREABOUTS = ["auth_source", "base_dn", "privileged_groups"];

function wayOf(row: LoginRow): unknown {
  const { port, ssl_enabled, additional_params, connection_string } = row;
  const params = Object.entries(additional_params).filter(([name]) => !WHEREABOUTS.includes(name));
  return {
    connector: connectorFor(loginTargetOf(row)).id,
    port,
    ssl_enabled,
    params: Object.fromEntries(params),
    address: connection_string === null ? null : addressIn(connection_string),
  };
}

/** Everything except host, user and database. */
function addressIn(text: string): unknown {
  const url = URL.parse(text);
  return url === null ? text : [url.protocol, url.port, url.search];
}

/**
 * INVARIANT: the reconcile account's secret goes only to its own host and to those that an administrator listed: a
 * user who edits an account's address cannot redirect that secret. Null hosts match nothing.
 */
export function mayReconcileAt(host: string | null, own: string | null, named: readonly string[]): boolean {
  if (host === null || host === "") return false;
  const wanted = plain(host);
  if (own !== null && plain(own) === wanted) return true;
  return named.some((each) => isNamed(wanted, plain(each)));
}

/** Ignores case and the brackets of an IPv6 address. */
const plain = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1");

function isNamed(host: string, pattern: string): boolean {
  if (pattern.startsWith("*."))
    return host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1 && isIP(host) === 0;
  const [address = "", prefix] = pattern.split("/");
  if (prefix === undefined) return host === pattern;
  return isInside(host, address, Number(prefix));
}

function isInside(host: string, address: string, prefix: number): boolean {
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || prefix > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const network = new BlockList();
  network.addSubnet(address, prefix, type);
  return network.check(host, type);
}
