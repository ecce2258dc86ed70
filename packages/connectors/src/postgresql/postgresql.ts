// PostgreSQL roles with a password (pg).
import type { Connector } from "../connector.ts";
import { databaseReading } from "../database-reading.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { TLS_PARAMETERS } from "../tls-settings.ts";

/**
 * Facts of `verified`: `serverVersion`, `validUntil`, `isSuperuser`, `schemaExists`, `tls` (`mode`, `protocol`).
 *
 * INVARIANT: no password is sent in a statement. The server gets a SCRAM-SHA-256 verifier, so that neither its log nor its
 * statistics can hold the password.
 */
export const postgresql: Connector = {
  id: "postgresql",
  name: "PostgreSQL",
  icon: "database",
  defaultPort: 5432,
  types: ["postgresql"],
  schemes: ["postgres", "postgresql"],
  parameters: TLS_PARAMETERS,
  proven: true,
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changePassword,
    reconcile: async () => (await import("./reconcile.ts")).reconcilePassword,
    checkReconcile: async () => (await import("./reconcile.ts")).checkRight,
    list: async () => (await import("./list-accounts.ts")).listRoles,
  }),
  ...databaseReading(async () => (await import("./read-databases.ts")).readDatabases),
};
