// How the secret of a finding is used: the system, the user name and the address, from the file or from the user.
import { credentialTypeOf, usualPort } from "@strongroom/contract";
import type { ConnectionMethod, FindingLogin, SystemType } from "@strongroom/contract";
import type { Target } from "@strongroom/connectors";
import type { FindingRow } from "./findings.store.ts";
import type { ScannedSystem } from "./secret-of-finding.ts";

export interface LoginOfFinding {
  username: string;
  hostname: string;
  port: number | null;
  systemType: SystemType;
  connectionMethod: ConnectionMethod;
  databaseName: string | null;
}

/** Systems that a port identifies. */
const BY_PORT: Readonly<Record<number, SystemType>> = {
  22: "Linux",
  1433: "mssql",
  1521: "oracle",
  3306: "mysql",
  5432: "postgresql",
  27017: "mongodb",
};
const LOCAL = new Set(["localhost", "127.0.0.1", "::1"]);

/** A sentence when something is missing. */
export function loginOf(
  row: Pick<FindingRow, "username" | "host" | "port" | "class">,
  scanned: ScannedSystem,
  given: FindingLogin,
): LoginOfFinding | string {
  const username = given.username ?? row.username;
  if (username === null) return "Nothing next to the secret names the account that it opens. Enter its user name.";
  const named = row.host === null || LOCAL.has(row.host) ? (scanned.isLocal ? scanned.hostname : null) : row.host;
  const hostname = given.hostname ?? named;
  if (hostname === null) return "Nothing next to the secret names the host on which it is used. Enter its address.";
  const isLocal = row.host === null || LOCAL.has(row.host) || row.host === scanned.hostname;
  const isOfScanned = isLocal && row.port === scanned.port && scanned.system !== null;
  const known = row.port === null ? undefined : isOfScanned ? scanned.system! : BY_PORT[row.port];
  const systemType = given.systemType ?? known ?? (row.class === "private_key" ? "Linux" : undefined);
  if (systemType === undefined) return "Nothing next to the secret shows which system it opens. Choose its type.";
  const isDatabase = ["oracle", "mssql", "mysql", "postgresql", "mongodb"].includes(systemType);
  const connectionMethod = given.connectionMethod ?? (isDatabase ? "SQL" : "SSH");
  const isScannedHost = named === scanned.hostname && systemType === "Linux";
  return {
    username,
    hostname,
    port: given.port ?? row.port ?? (isScannedHost ? scanned.port : usualPort(systemType, connectionMethod)),
    systemType,
    connectionMethod,
    databaseName: given.databaseName ?? usualDatabase(systemType, isOfScanned ? scanned : null),
  };
}

/** Databases that every login may use. Oracle has none: a login of the scanned server uses the same service. */
function usualDatabase(systemType: SystemType, scanned: ScannedSystem | null): string | null {
  switch (systemType) {
    case "postgresql":
      return "postgres";
    case "mssql":
      return "master";
    case "mysql":
      return "information_schema";
    case "mongodb":
      return "admin";
    case "oracle":
      return scanned?.connection.databaseName ?? null;
    default:
      return null;
  }
}

/** The target of a connector's login. */
export const targetOfLogin = (login: LoginOfFinding, kind: string, scanned: ScannedSystem): Target => ({
  type: kind === "private_key" ? "ssh" : credentialTypeOf(login.systemType, login.connectionMethod),
  host: login.hostname,
  port: login.port,
  username: login.username,
  databaseName: login.databaseName,
  schemaName: null,
  connectionString: null,
  ...tlsOfLogin(login, scanned),
  knownHostKey: null,
});

/** A login of the scanned server uses the same settings for TLS as the scan. */
export function tlsOfLogin({ hostname, port, systemType }: LoginOfFinding, scanned: ScannedSystem) {
  const isSame = hostname === scanned.hostname && port === scanned.port && systemType === scanned.system;
  const { sslEnabled, additionalParams } = scanned.connection;
  return isSame ? { sslEnabled, additionalParams } : { sslEnabled: false, additionalParams: {} };
}
