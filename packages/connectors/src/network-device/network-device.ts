// Network devices and other systems with prompts, over an SSH shell or Telnet (ssh2, our own Telnet).
import type { Connector } from "../connector.ts";
import { passwordChanges } from "../password-capabilities.ts";
import { DEVICE_PARAMETERS } from "./parameters.ts";

/**
 * `additional_params`: `protocol` is `telnet` or `network-device` (SSH), `device` a preset, `script` replaces parts of
 * it, `allow_clear_text` permits Telnet without TLS. Facts of `verified`: `protocol`, `device`, and over SSH
 * `hostKey`, `isFirstUse`, `method`. Of `changed`: `isSaved`.
 */
export const networkDevice: Connector = {
  id: "network-device",
  name: "Network device by prompts",
  icon: "network",
  types: [],
  protocols: [
    { value: "network-device", label: "Network device over SSH", port: 22 },
    { value: "telnet", label: "Network device over Telnet", port: 23 },
  ],
  ports: [23],
  parameters: DEVICE_PARAMETERS,
  proven: true,
  // Every device accepts these characters, and no prompt interprets them as a command.
  passwordLimits: { maxLength: 63, forbidden: "?" },
  ...passwordChanges({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./change-password.ts")).changeOwn,
    reconcile: async () => (await import("./change-password.ts")).changeOther,
    checkReconcile: async () => (await import("./verify-login.ts")).checkRight,
  }),
};
