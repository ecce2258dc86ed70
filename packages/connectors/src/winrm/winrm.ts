// Local Windows accounts over WinRM (HTTPS with Basic, our own SOAP). Tested against a fake, not against Windows.
import type { Connector } from "../connector.ts";
import { passwordChanges } from "../password-capabilities.ts";

/**
 * Facts of `verified`: none. The server must allow Basic (`winrm/config/service/auth`), which supports local accounts
 * only.
 */
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
