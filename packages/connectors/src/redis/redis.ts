// Redis users with a password, over TLS (a protocol of a page, spoken by ourselves).
import type { Connector } from "../connector.ts";
import { passwordAbilities } from "../password-abilities.ts";

/**
 * A user name that is left out is `default`. Facts of `verified`: `tls` (`mode`); of `changed`: `isPersistent`, false when a
 * restart would bring the old password back; of an account `needsPassword`, `passwords` (how many), `commands`.
 */
export const redis: Connector = {
  id: "redis",
  name: "Redis",
  types: ["password", "server", "application", "database"],
  proven: true,
  ...passwordAbilities({
    verify: async () => (await import("./log-in.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./set-password.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
};
