// Which accounts a platform's reconcile account may act on: whose they are, where they are, and how they are reached. Pure.
import { connectorFor, isTelnet } from "@strongroom/connectors";
import type { Target } from "@strongroom/connectors";
import { isDeepStrictEqual } from "node:util";
import { destinationOf, loginTargetOf } from "#features/verification/index.ts";
import type { LoginRow } from "#features/verification/index.ts";
import { mayReconcileAt } from "./reconcile-hosts.policy.ts";

/** A stored login, and the safe that it is in. */
export type Placed = LoginRow & { safe_id: string | null };

/** The reconcile account, and what an administrator allowed it beyond its own host and its own safe. */
export type Reach = Placed & { hosts: readonly string[]; safes: readonly string[] };

export interface OutOfReach {
  code:
    | "rotation.safe-not-reconcilable"
    | "rotation.host-not-reconcilable"
    | "rotation.not-reached-alike"
    | "rotation.host-key-unknown";
  message: string;
}

/**
 * Null: it is within reach.
 *
 * INVARIANT: the reconcile account sets passwords only in its own safe and in safes that an administrator named: who puts an
 * account named root into a safe of their own does not become root. It logs in only where it lives or an administrator said, to a host
 * whose key is known, and in the very way in which it logs in itself: nobody else says through which port, how encrypted, whom to trust, and what
 * is typed in its session.
 */
export function outOfReach(it: Placed, by: Reach): OutOfReach | null {
  if (it.safe_id === null || (it.safe_id !== by.safe_id && !by.safes.includes(it.safe_id))) {
    const message =
      "The platform's reconcile account does not act on accounts of this safe. An administrator can name the safe on the platform.";
    return { code: "rotation.safe-not-reconcilable", message };
  }
  const host = destinationOf(it);
  if (!mayReconcileAt(host, destinationOf(by), by.hosts)) {
    const message = `The platform's reconcile account does not log in to ${host ?? "nowhere"}. An administrator can name that host on the platform.`;
    return { code: "rotation.host-not-reconcilable", message };
  }
  if (!isDeepStrictEqual(wayOf(it), wayOf(by))) {
    const message =
      "The platform's reconcile account logs in only in the way that it is stored with: the port, the encryption and the additional parameters of this account differ from its own.";
    return { code: "rotation.not-reached-alike", message };
  }
  if (!hasHostKey(it) || it.host_key !== null || isAtHome(it, by)) return null;
  const message =
    "The host has not shown its key yet, and the reconcile account's password goes to no host that nobody knows. Verify this account first.";
  return { code: "rotation.host-key-unknown", message };
}

const isAtHome = (it: LoginRow, by: Reach): boolean => mayReconcileAt(destinationOf(it), destinationOf(by), []);

/** Reached by SSH, whose hosts are known by their keys. */
function hasHostKey(it: LoginRow): boolean {
  const target = loginTargetOf(it);
  const { id } = connectorFor(target);
  return id === "linux" || (id === "network-device" && !isTelnet(target));
}

/** On its own host the reconcile account expects the key that it was shown there itself. */
export function targetFor(it: LoginRow, by: Reach): Target {
  const target = loginTargetOf(it);
  return isAtHome(it, by) ? { ...target, knownHostKey: by.host_key ?? it.host_key } : target;
}

/** They say where somebody stands in a directory or database, and send nothing elsewhere. What is not named here counts. */
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

/** All but the host, the user and the database. */
function addressIn(text: string): unknown {
  const url = URL.parse(text);
  return url === null ? text : [url.protocol, url.port, url.search];
}
