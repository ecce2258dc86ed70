// RabbitMQ users with a password: verified over AMQP like an application, changed through the management interface.
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";

/** Facts of `verified`: `serverVersion`, `tls` (`mode`); of an account `tags`, `hasPassword`. */
export const rabbitmq: Connector = {
  id: "rabbitmq",
  name: "RabbitMQ",
  types: ["password", "server", "application"],
  proven: true,
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./set-password.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
};
