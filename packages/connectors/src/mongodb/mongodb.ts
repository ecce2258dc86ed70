// MongoDB users with a password. Implements the wire protocol itself, using BSON from the `mongodb` package. Tested against a fake, not
// against a real server.
import type { Connector } from "../connector.ts";
import { databaseReading } from "../database-reading.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { TLS_PARAMETERS } from "../tls-settings.ts";

/**
 * `additional_params`: `auth_source` (`admin`) is the database of the user. Facts of an account: `database`, `roles`.
 */
export const mongodb: Connector = {
  id: "mongodb",
  name: "MongoDB",
  icon: "database",
  defaultPort: 27017,
  types: ["mongodb"],
  schemes: ["mongodb"],
  parameters: [
    {
      kind: "text",
      name: "auth_source",
      label: "Authentication database",
      help: "The database that stores the user",
      placeholder: "admin",
      max_length: 63,
    },
    ...TLS_PARAMETERS,
  ],
  proven: false,
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).changeOther,
    checkReconcile: async () => (await import("./verify-login.ts")).checkRight,
    list: async () => (await import("./list-users.ts")).listUsers,
  }),
  ...databaseReading(async () => (await import("./read-databases.ts")).readDatabases),
};
