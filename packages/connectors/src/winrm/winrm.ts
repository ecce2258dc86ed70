// Local Windows accounts over WinRM (HTTPS with Basic, our own SOAP). Tested against a fake, not against Windows.
import type { Connector } from "../connector.ts";
import { passwordCapabilities } from "../password-capabilities.ts";
import { REQUIRED_TLS_PARAMETERS } from "../tls-settings.ts";

/**
 * Facts of `verified`: none. The server must allow Basic (`winrm/config/service/auth`), which supports local accounts
 * only.
 */
export const winrm: Connector = {
  id: "winrm",
  name: "Windows over WinRM",
  icon: "windows",
  types: [],
  protocols: [{ value: "winrm", label: "Windows over WinRM", port: 5986 }],
  ports: [5986],
  parameters: REQUIRED_TLS_PARAMETERS,
  proven: false,
  passwordLimits: { maxLength: 127 },
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).changeOther,
    list: async () => (await import("./list-accounts.ts")).listUsers,
    checkReconcile: async () => (await import("./set-password.ts")).checkRight,
  }),
};
