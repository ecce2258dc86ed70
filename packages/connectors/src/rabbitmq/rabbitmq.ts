// RabbitMQ users with a password: proved over AMQP as applications log in, changed by the management interface.
import type { Connector } from "../connector.ts";
import { passwordAbilities } from "../password-abilities.ts";

/** Facts of `verified`: `serverVersion`, `tls` (`mode`); of an account `tags`, `hasPassword`. */
export const rabbitmq: Connector = {
  id: "rabbitmq",
  name: "RabbitMQ",
  types: ["password", "server", "application"],
  proven: true,
  ...passwordAbilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./set-password.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
};
