// People and services with a password in an LDAP directory (ldapts).
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";

/**
 * Facts of `verified`: `expiresInSeconds`, `graceLogins`, `tls` (`mode`, `isStartTls`); of a reconcile check
 * `mayReset` (null: the directory does not say); of an account `dn`, `groups`, `shell`.
 */
export const ldap: Connector = {
  id: "ldap",
  name: "LDAP directory",
  types: ["password"],
  proven: true,
  ...passwordCapabilities({
    verify: async () => (await import("./log-in.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./check-reconcile.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listEntries,
  }),
};
