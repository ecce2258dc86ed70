// MySQL and MariaDB users with a password (mysql2).
import { inTime } from "../attempt.ts";
import type { Connector, ReadDatabasesFinding } from "../connector.ts";
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
  async readDatabases(target, secret, search, reader, context) {
    const password = secret.reveal();
    const { readDatabases } = await import("./read-databases.ts");
    return inTime<ReadDatabasesFinding>(
      context,
      (current) => readDatabases(target, password, { search, reader, current }),
      (failure) => failure,
    );
  },
};
