// SQL Server logins with a password (tedious over our own stream). Tested against a fake, not against a real server.
import type { Connector } from "../connector.ts";
import { databaseReading } from "../database-reading.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { TLS_PARAMETERS } from "../tls-settings.ts";

/** Requires TLS with a verified certificate: TDS sends passwords unencrypted. */
export const mssql: Connector = {
  id: "mssql",
  name: "SQL Server",
  icon: "database",
  defaultPort: 1433,
  types: ["mssql"],
  schemes: ["mssql", "sqlserver"],
  parameters: TLS_PARAMETERS,
  proven: false,
  passwordLimits: { maxLength: 128 },
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).changeOther,
    checkReconcile: async () => (await import("./verify-login.ts")).checkRight,
    list: async () => (await import("./list-logins.ts")).listLogins,
  }),
  ...databaseReading(async () => (await import("./read-databases.ts")).readDatabases),
};
