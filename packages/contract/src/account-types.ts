// The kinds of systems that accounts are on, their connection methods, and the fields that each requires.
import { z } from "zod";
import type { CredentialType } from "./credential-types.ts";

/** In the order of the form (ACC-73). */
export const SYSTEM_TYPES = [
  "Windows",
  "Linux",
  "oracle",
  "mssql",
  "mysql",
  "postgresql",
  "mongodb",
  "AWS",
  "Azure",
  "Unix/AIX",
  "Network Device",
  "Security Appliance",
  "Application",
  "Website",
] as const;
export const SystemType = z.enum(SYSTEM_TYPES);
export type SystemType = z.infer<typeof SystemType>;

/** ACC-74: the list also offers MariaDB, stored as `mysql`. */
export const SYSTEM_TYPE_OPTIONS: readonly { value: SystemType; label: string }[] = SYSTEM_TYPES.flatMap((value) => {
  const labels: Partial<Record<SystemType, string>> = {
    oracle: "Oracle",
    mssql: "SQL Server",
    mysql: "MySQL",
    postgresql: "PostgreSQL",
    mongodb: "MongoDB",
  };
  const option = { value, label: labels[value] ?? value };
  return value === "mysql" ? [option, { value, label: "MariaDB" }] : [option];
});

/** ACC-66. */
export const ACCOUNT_DATABASE_TYPES = ["oracle", "mssql", "mysql", "postgresql", "mongodb"] as const;
export const isAccountDatabaseType = (type: string): boolean =>
  (ACCOUNT_DATABASE_TYPES as readonly string[]).includes(type);

/** ACC-75; the form's default is RDP, the list's fallback SSH (OPEN-77). */
export const CONNECTION_METHODS = [
  "RDP",
  "SSH",
  "SQL",
  "HTTPS",
  "HTTP",
  "SFTP",
  "Telnet",
  "VNC",
  "PowerShell",
  "WinRM",
  "Custom",
] as const;
export const ConnectionMethod = z.enum(CONNECTION_METHODS);
export type ConnectionMethod = z.infer<typeof ConnectionMethod>;

/** The connection method of a system unless the user chooses a different one; ACC-72 gives that of databases. */
export const USUAL_METHODS: Readonly<Record<SystemType, ConnectionMethod>> = {
  Windows: "RDP",
  Linux: "SSH",
  oracle: "SQL",
  mssql: "SQL",
  mysql: "SQL",
  postgresql: "SQL",
  mongodb: "SQL",
  AWS: "HTTPS",
  Azure: "HTTPS",
  "Unix/AIX": "SSH",
  "Network Device": "SSH",
  "Security Appliance": "SSH",
  Application: "HTTPS",
  Website: "HTTPS",
};

/** ACC-71 gives the ports of databases. */
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

/** The default port for an account that names none; null if the system has none. */
export const usualPort = (system: SystemType, method: ConnectionMethod): number | null =>
  PORTS[system] ?? PORTS[method] ?? null;

/** Methods that log in over SSH with a user name and a password or key. */
const OVER_SSH: readonly ConnectionMethod[] = ["SSH", "SFTP"];
const WITH_ACCOUNTS: readonly SystemType[] = ["Windows", "Linux", "Unix/AIX", "Network Device", "Security Appliance"];

/** The type of an account's stored secret, which decides its connector. No connector needs to serve `application`. */
export function credentialTypeOf(system: SystemType, method: ConnectionMethod): CredentialType {
  if (isAccountDatabaseType(system)) return system as CredentialType;
  if (OVER_SSH.includes(method) && WITH_ACCOUNTS.includes(system)) return "server";
  return "application";
}

export const ACCOUNT_STATUSES = ["active", "disabled", "pending"] as const;
export const AccountStatus = z.enum(ACCOUNT_STATUSES);
export type AccountStatus = z.infer<typeof AccountStatus>;

export const ROTATION_STATUSES = ["current", "due_soon", "overdue", "no_policy"] as const;
export const RotationStatus = z.enum(ROTATION_STATUSES);
export type RotationStatus = z.infer<typeof RotationStatus>;
