// SQL Server logins with a password (tedious over a stream of ours). Not proved against a real server, only against a double of ours.
import type { Connector } from "../connector.ts";
import { passwordAbilities } from "../password-abilities.ts";

/** TLS with a checked certificate is needed: TDS carries passwords as they are. */
export const mssql: Connector = {
  id: "mssql",
  name: "SQL Server",
  types: ["mssql", "database"],
  proven: false,
  passwordLimits: { maxLength: 128 },
  ...passwordAbilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).changeOther,
    checkReconcile: async () => (await import("./verify-login.ts")).checkRight,
    list: async () => (await import("./list-logins.ts")).listLogins,
  }),
};
