// Linux and Unix accounts, and everything else that lets people in over SSH (ssh2).
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";

/**
 * Facts of `verified`: `hostKey` (pin it when none is pinned), `isFirstUse`, `method`, `runsCommands`.
 * Facts of the alarm `host-key-changed`: `hostKey`, `pinnedHostKey`.
 */
export const linux: Connector = {
  id: "linux",
  name: "Linux or Unix over SSH",
  types: ["ssh", "server", "password"],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const value = secret.reveal();
    // The driver stays out of memory until somebody verifies, and loading it takes nothing of the attempt's time.
    const { verifyLogin } = await import("./verify-login.ts");
    return attempt(context, (current) => verifyLogin(target, value, current));
  },
};
