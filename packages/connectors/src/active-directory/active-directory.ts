// Accounts of a Windows domain, at its domain controller over LDAPS (ldapts).
import type { Connector } from "../connector.ts";
import { passwordAbilities } from "../password-abilities.ts";

/**
 * A controller accepts the password before the one in force for up to an hour (`OldPasswordAllowedPeriod`): after a change
 * a log-in with the old one proves nothing. That is what the fact `mayBePreviousPassword` of `verified` says, and
 * `oldPasswordMayWorkForMinutes` of `changed`. Further facts of `verified`: `passwordChangedAt`, `tls`; of a reconcile
 * check `mayReset` (null: it may not be read who may).
 */
export const activeDirectory: Connector = {
  id: "active-directory",
  name: "Active Directory",
  types: ["password", "server", "application"],
  proven: true,
  passwordLimits: { maxLength: 127 },
  ...passwordAbilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./check-reconcile.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
};
