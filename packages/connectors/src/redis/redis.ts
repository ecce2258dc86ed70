// Redis users with a password, over TLS (our own implementation of its one-page protocol).
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";

/**
 * An omitted user name is `default`. Facts of `verified`: `tls` (`mode`); of `changed`: `isPersistent`, false when a
 * restart would restore the old password; of an account `needsPassword`, `passwords` (how many), `commands`.
 */
export const redis: Connector = {
  id: "redis",
  name: "Redis",
  types: ["password", "server", "application", "database"],
  proven: true,
  ...passwordCapabilities({
    verify: async () => (await import("./log-in.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./set-password.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
};
