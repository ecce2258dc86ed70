// The host that receives an entry's secrets, which determines whether another account's secret may be sent there.
import type { Target } from "./connector.ts";
import { loginHost } from "./azure/azure-access.ts";
import { directoryHost } from "./ldap/address.ts";
import { holdsControl } from "./connection-string.ts";
import { connectorFor } from "./registry.ts";

/**
 * As written in the entry, without port and brackets; null when it names none. Computed as the entry's connector does:
 * a connection string, a check_url, a directory_server or an endpoint counts where, and only where, that connector
 * uses it.
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
    case "azure":
      return hostIn(additionalParams["endpoint"]) ?? loginHost(additionalParams);
    case "google-cloud":
      return hostIn(additionalParams["endpoint"]) ?? "googleapis.com";
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
    // No connector accepts such an address either.
    if (error instanceof URIError) return null;
    throw error;
  }
}
