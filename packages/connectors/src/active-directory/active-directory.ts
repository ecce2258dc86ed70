// Accounts of a Windows domain, on its domain controller over LDAPS (ldapts).
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";

/**
 * A controller accepts the previous password for up to an hour (`OldPasswordAllowedPeriod`): after a change, a login
 * with the old one proves nothing. The fact `mayBePreviousPassword` of `verified` says so, and
 * `oldPasswordMayWorkForMinutes` of `changed`. Further facts of `verified`: `passwordChangedAt`, `tls`; of a reconcile
 * check `mayReset` (null: the rights cannot be read).
 */
export const activeDirectory: Connector = {
  id: "active-directory",
  name: "Active Directory",
  types: ["password", "server", "application"],
  proven: true,
  passwordLimits: { maxLength: 127 },
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./check-reconcile.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
};
