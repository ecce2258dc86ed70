// Network devices and other systems that are spoken to by prompts, over an SSH shell or Telnet (ssh2, Telnet of our own).
import type { Connector } from "../connector.ts";
import { passwordChanges } from "../password-abilities.ts";

/**
 * `additional_params`: `protocol` is `telnet` or `network-device` (SSH), `device` a preset, `script` parts in its place,
 * `allow_clear_text` permits Telnet without TLS.
 * Facts of `verified`: `protocol`, `device`, and over SSH `hostKey`, `isFirstUse`, `method`. Of `changed`: `isSaved`.
 */
export const networkDevice: Connector = {
  id: "network-device",
  name: "Network device by prompts",
  types: ["server", "password"],
  proven: true,
  // What every device takes, and no prompt reads as a command.
  passwordLimits: { maxLength: 63, forbidden: "?" },
  ...passwordChanges({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./change-password.ts")).changeOwn,
    reconcile: async () => (await import("./change-password.ts")).changeOther,
    checkReconcile: async () => (await import("./verify-login.ts")).checkRight,
  }),
};
