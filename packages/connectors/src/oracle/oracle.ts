// Oracle Database users with a password (oracledb in its thin mode). Tested only against a fake made from the driver's
// expectations, never against a real server. The comment at the top of the fake says what the tests do not prove.
import type { Connector } from "../connector.ts";
import { databaseReading } from "../database-reading.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { TLS_PARAMETERS } from "../tls-settings.ts";

/**
 * The entry's database name is the service. Passwords of other users are set over checked TLS only; a user's own is
 * always encrypted.
 */
export const oracle: Connector = {
  id: "oracle",
  name: "Oracle Database",
  icon: "database",
  defaultPort: 2484,
  types: ["oracle"],
  schemes: ["oracle"],
  parameters: TLS_PARAMETERS,
  proven: false,
  passwordLimits: { maxLength: 30, forbidden: '"' },
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).changeOther,
    checkReconcile: async () => (await import("./verify-login.ts")).checkRight,
    list: async () => (await import("./list-users.ts")).listUsers,
  }),
  ...databaseReading(async () => (await import("./read-databases.ts")).readDatabases),
};
