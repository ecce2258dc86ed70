// The host that the secrets of an entry go to: what decides who may be trusted with the secret of another account there.
import type { Target } from "./connector.ts";
import { directoryHost } from "./ldap/address.ts";
import { holdsControl } from "./connection-string.ts";
import { connectorFor } from "./registry.ts";

/**
 * As the entry writes it, without port and brackets; null when it names none. It is worked out as the entry's connector does:
 * a connection string, a check_url, a directory_server or an endpoint counts where, and only where, that connector uses it.
 */
export function destinationHost(target: Target): string | null {
  const { additionalParams, connectionString } = target;
  const own = target.host || null;
  switch (connectorFor(target).id) {
    case "ldap":
    case "active-directory":
      return directoryHost(target);
    case "api-token":
      return hostIn(additionalParams["check_url"]);
    case "aws-iam":
      return hostIn(additionalParams["endpoint"]) ?? "amazonaws.com";
    case "postgresql":
    case "mysql":
    case "mssql":
    case "oracle":
    case "mongodb":
    case "redis":
      return hostIn(connectionString) ?? own;
    default:
      return own;
  }
}

function hostIn(address: unknown): string | null {
  const host = typeof address === "string" ? (URL.parse(address)?.hostname ?? "") : "";
  try {
    const decoded = decodeURIComponent(host).replace(/^\[(.*)\]$/, "$1");
    return decoded === "" || holdsControl(decoded) ? null : decoded;
  } catch (error) {
    // No connector takes such an address either.
    if (error instanceof URIError) return null;
    throw error;
  }
}
