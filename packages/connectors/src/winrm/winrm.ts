// Local Windows accounts over WinRM (HTTPS with Basic, SOAP by hand). Not proved against Windows, only against a double of ours.
import type { Connector } from "../connector.ts";
import { passwordChanges } from "../password-abilities.ts";

/** Facts of `verified`: none. The server must allow Basic (`winrm/config/service/auth`), which knows local accounts only. */
export const winrm: Connector = {
  id: "winrm",
  name: "Windows over WinRM",
  types: ["password", "server", "application"],
  proven: false,
  passwordLimits: { maxLength: 127 },
  ...passwordChanges({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).changeOther,
    checkReconcile: async () => (await import("./set-password.ts")).checkRight,
  }),
};
