// Maps an account's system and method to the type of its stored secret, which decides the connector that verifies it.
import { isAccountDatabaseType } from "@strongroom/contract";
import type { ConnectionMethod, CredentialType, SystemType } from "@strongroom/contract";

/** Methods that log in over SSH with a user name and a password or key. */
const OVER_SSH: readonly ConnectionMethod[] = ["SSH", "SFTP"];
const WITH_ACCOUNTS: readonly SystemType[] = ["Windows", "Linux", "Unix/AIX", "Network Device", "Security Appliance"];

/** `application` if no connector verifies it yet; it can still be stored and used. */
export function credentialTypeOf(system: SystemType, method: ConnectionMethod): CredentialType {
  if (isAccountDatabaseType(system)) return system as CredentialType;
  if (OVER_SSH.includes(method) && WITH_ACCOUNTS.includes(system)) return "server";
  return "application";
}

/** Default ports for when the form omits the port; null if there is no usual one. */
const PORTS: Partial<Record<SystemType | ConnectionMethod, number>> = {
  oracle: 1521,
  mssql: 1433,
  mysql: 3306,
  postgresql: 5432,
  mongodb: 27017,
  RDP: 3389,
  SSH: 22,
  SFTP: 22,
  HTTPS: 443,
  HTTP: 80,
  Telnet: 23,
  VNC: 5900,
  WinRM: 5986,
  PowerShell: 5986,
};

export const usualPort = (system: SystemType, method: ConnectionMethod): number | null =>
  PORTS[system] ?? PORTS[method] ?? null;
