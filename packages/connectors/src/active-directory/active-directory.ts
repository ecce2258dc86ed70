// Accounts of a Windows domain. Connects to the domain controller over LDAPS (ldapts).
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { REQUIRED_TLS_PARAMETERS } from "../tls-settings.ts";

/**
 * A controller accepts the previous password for up to an hour (`OldPasswordAllowedPeriod`): after a change, a login
 * with the old one proves nothing. The fact `mayBePreviousPassword` of `verified` says so, and
 * `oldPasswordMayWorkForMinutes` of `changed`. Further facts of `verified`: `passwordChangedAt`, `tls`; of a reconcile
 * check `mayReset` (null: the rights cannot be read).
 */
export const activeDirectory: Connector = {
  id: "active-directory",
  name: "Active Directory",
  icon: "windows",
  types: [],
  // The entry's port belongs to the machine that uses the account, not to the controller.
  protocols: [{ value: "active-directory", label: "Active Directory", port: null }],
  parameters: [
    {
      kind: "text",
      name: "domain",
      label: "Domain",
      help: "Needed for user names without a domain",
      placeholder: "corp.example",
      max_length: 253,
    },
    {
      kind: "text",
      name: "directory_server",
      label: "Domain controller",
      help: "Host, or host:port, if it is not the account's own host",
      placeholder: "dc1.corp.example",
      max_length: 260,
      pattern: {
        source: "(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_.\\-]+)(:\\d{1,5})?",
        message: "Enter a host name or an address, with or without a port",
      },
    },
    ...REQUIRED_TLS_PARAMETERS,
  ],
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
