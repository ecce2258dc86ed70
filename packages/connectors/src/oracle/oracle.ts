// Oracle Database users with a password (oracledb in its thin mode). Proved against a double of ours only, made from what that driver
// expects: no real server was ever asked. What the double does not prove stands in its first lines.
import type { Connector } from "../connector.ts";
import { passwordChanges } from "../password-abilities.ts";

/** The entry's database name is the service. Passwords of others are set over checked TLS only; one's own goes encrypted anyway. */
export const oracle: Connector = {
  id: "oracle",
  name: "Oracle Database",
  types: ["oracle", "database"],
  proven: false,
  passwordLimits: { maxLength: 30, forbidden: '"' },
  ...passwordChanges({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).changeOther,
    checkReconcile: async () => (await import("./verify-login.ts")).checkRight,
  }),
};
