// The types of credentials, their labels, and the fields that each requires.
import { z } from "zod";

export const CREDENTIAL_TYPES = [
  "password",
  "ssh",
  "api_token",
  "certificate",
  "database",
  "mysql",
  "postgresql",
  "mssql",
  "oracle",
  "mongodb",
  "application",
  "api",
  "server",
] as const;
export const CredentialType = z.enum(CREDENTIAL_TYPES);
export type CredentialType = z.infer<typeof CredentialType>;

export const CREDENTIAL_TYPE_LABELS: Record<CredentialType, string> = {
  password: "Password",
  ssh: "SSH Key",
  api_token: "API Token",
  certificate: "Certificate",
  database: "Database (Generic)",
  mysql: "MySQL/MariaDB",
  postgresql: "PostgreSQL",
  mssql: "SQL Server",
  oracle: "Oracle",
  mongodb: "MongoDB",
  application: "Application",
  api: "API",
  server: "Server",
};

/** The types with database fields (CRED-25). The filter "Database" matches all of them (OPEN-45). */
export const DATABASE_TYPES = ["database", "mysql", "postgresql", "mssql", "oracle", "mongodb"] as const;
export const isDatabaseType = (type: string): boolean => (DATABASE_TYPES as readonly string[]).includes(type);

/** The types whose database also has a schema (CRED-33). */
export const needsSchemaName = (type: string): boolean => type === "postgresql" || type === "oracle";

/** The port that choosing a type prefills (CRED-35). */
export const DEFAULT_PORTS: Partial<Record<CredentialType, number>> = {
  mysql: 3306,
  postgresql: 5432,
  mssql: 1433,
  oracle: 1521,
  mongodb: 27017,
};

/** The types whose additional parameter `protocol` selects the connector. */
export const PROTOCOL_TYPES = ["password", "server", "application", "api"] as const satisfies readonly CredentialType[];

export const ENVIRONMENTS = ["development", "staging", "production"] as const;
export const Environment = z.enum(ENVIRONMENTS);
export type Environment = z.infer<typeof Environment>;

export const CREDENTIAL_STATUSES = ["pending", "verified", "failed", "active", "expired"] as const;
export const CredentialStatus = z.enum(CREDENTIAL_STATUSES);
export type CredentialStatus = z.infer<typeof CredentialStatus>;
