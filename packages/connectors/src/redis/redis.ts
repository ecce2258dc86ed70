// Redis users with a password, over TLS (our own implementation of its one-page protocol).
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { CHOSEN_TLS_PARAMETERS } from "../tls-settings.ts";

/**
 * An omitted user name is `default`. Facts of `verified`: `tls` (`mode`); of `changed`: `isPersistent`, false when a
 * restart would restore the old password; of an account `needsPassword`, `passwords` (how many), `commands`.
 */
export const redis: Connector = {
  id: "redis",
  name: "Redis",
  icon: "database",
  defaultPort: 6379,
  types: [],
  protocols: [{ value: "redis", label: "Redis", port: 6379 }],
  schemes: ["redis", "rediss"],
  parameters: CHOSEN_TLS_PARAMETERS,
  proven: true,
  ...passwordCapabilities({
    verify: async () => (await import("./log-in.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./set-password.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
};
