// MySQL and MariaDB users with a password (mysql2).
import type { Connector } from "../connector.ts";
import { databaseReading } from "../database-reading.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { TLS_PARAMETERS } from "../tls-settings.ts";

/** Facts of `verified`: `serverVersion`, `tls` (`mode`, `protocol`). */
export const mysql: Connector = {
  id: "mysql",
  name: "MySQL or MariaDB",
  icon: "database",
  defaultPort: 3306,
  types: ["mysql"],
  schemes: ["mysql", "mariadb"],
  parameters: TLS_PARAMETERS,
  proven: true,
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changePassword,
    reconcile: async () => (await import("./reconcile.ts")).reconcilePassword,
    checkReconcile: async () => (await import("./reconcile.ts")).checkRight,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
  ...databaseReading(async () => (await import("./read-databases.ts")).readDatabases),
};
