// The kinds of systems that accounts are on, their connection methods, and the fields that each requires.
import { z } from "zod";

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

export const ACCOUNT_STATUSES = ["active", "disabled", "pending"] as const;
export const AccountStatus = z.enum(ACCOUNT_STATUSES);
export type AccountStatus = z.infer<typeof AccountStatus>;

export const ROTATION_STATUSES = ["current", "due_soon", "overdue", "no_policy"] as const;
export const RotationStatus = z.enum(ROTATION_STATUSES);
export type RotationStatus = z.infer<typeof RotationStatus>;
