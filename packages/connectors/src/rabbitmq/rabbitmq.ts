// RabbitMQ users with a password: verified over AMQP like an application, changed through the management interface.
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { REQUIRED_TLS_PARAMETERS } from "../tls-settings.ts";

/** Facts of `verified`: `serverVersion`, `tls` (`mode`); of an account `tags`, `hasPassword`. */
export const rabbitmq: Connector = {
  id: "rabbitmq",
  name: "RabbitMQ",
  icon: "queue",
  types: [],
  protocols: [{ value: "rabbitmq", label: "RabbitMQ", port: 5671 }],
  parameters: [
    {
      kind: "number",
      name: "management_port",
      label: "Management port",
      help: "The management interface changes passwords (HTTPS)",
      placeholder: "15671",
      min: 1,
      max: 65_535,
    },
    ...REQUIRED_TLS_PARAMETERS,
  ],
  proven: true,
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).reset,
    checkReconcile: async () => (await import("./set-password.ts")).checkReset,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
};
