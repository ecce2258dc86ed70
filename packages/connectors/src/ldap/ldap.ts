// Users and services with a password in an LDAP directory (ldapts).
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { REQUIRED_TLS_PARAMETERS } from "../tls-settings.ts";

/**
 * Facts of `verified`: `expiresInSeconds`, `graceLogins`, `tls` (`mode`, `isStartTls`); of a reconcile check
 * `mayReset` (null: the directory does not say); of an account `dn`, `groups`, `shell`.
 */
export const ldap: Connector = {
  id: "ldap",
  name: "LDAP directory",
  icon: "directory",
  types: [],
  protocols: [
    { value: "ldap", label: "LDAP with StartTLS", port: 389 },
    { value: "ldaps", label: "LDAP over TLS (LDAPS)", port: 636 },
  ],
  parameters: [
    {
      kind: "text",
      name: "directory_server",
      label: "Directory server",
      help: "Host, or host:port, if it is not the account's own host",
      placeholder: "ldap.example.com",
      max_length: 260,
      pattern: {
        source: "(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_.\\-]+)(:\\d{1,5})?",
        message: "Enter a host name or an address, with or without a port",
      },
    },
    {
      kind: "text",
      name: "dn_template",
      label: "User DN template",
      help: "How a user name becomes a distinguished name. Not needed for user names that are one.",
      placeholder: "uid={username},ou=people,dc=example,dc=com",
    },
    {
      kind: "text",
      name: "base_dn",
      label: "Base DN",
      help: "Where accounts are listed",
      placeholder: "dc=example,dc=com",
      is_advanced: true,
    },
    {
      kind: "list",
      name: "privileged_groups",
      label: "Privileged groups",
      help: "Names of groups with full rights",
      is_advanced: true,
    },
    {
      kind: "choice",
      name: "password_change",
      label: "Password change",
      placeholder: "Password operation (default)",
      options: [{ value: "modify", label: "Replace the attribute" }],
      is_advanced: true,
    },
    ...REQUIRED_TLS_PARAMETERS,
  ],
  proven: true,
  ...passwordCapabilities({
    verify: async () => (await import("./log-in.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./check-reconcile.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listEntries,
  }),
};
