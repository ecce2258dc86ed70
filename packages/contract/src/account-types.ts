// The kinds of system that an account is on, how one connects to them, and what each asks for.
import { z } from "zod";

/** In the order in which the form offers them (ACC-73). */
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

/** ACC-74: the list has MariaDB too, whose value is `mysql`. */
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

export const ACCOUNT_VALIDATION_STATUSES = ["untested", "valid", "invalid", "pending"] as const;
export const AccountValidationStatus = z.enum(ACCOUNT_VALIDATION_STATUSES);
export type AccountValidationStatus = z.infer<typeof AccountValidationStatus>;

export const ROTATION_STATUSES = ["current", "due_soon", "overdue", "no_policy"] as const;
export const RotationStatus = z.enum(ROTATION_STATUSES);
export type RotationStatus = z.infer<typeof RotationStatus>;
