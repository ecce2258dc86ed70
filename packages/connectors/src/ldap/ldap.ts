// People and services in an LDAP directory with a password (ldapts).
import type { Connector } from "../connector.ts";
import { passwordAbilities } from "../password-abilities.ts";

/**
 * Facts of `verified`: `expiresInSeconds`, `graceLogins`, `tls` (`mode`, `isStartTls`); of a reconcile check `mayReset`
 * (null: the directory does not tell); of an account `dn`, `groups`, `shell`.
 */
export const ldap: Connector = {
  id: "ldap",
  name: "LDAP directory",
  types: ["password"],
  proven: true,
  ...passwordAbilities({
    verify: async () => (await import("./log-in.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./check-reconcile.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listEntries,
  }),
};
