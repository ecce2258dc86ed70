// Network devices and other systems that are spoken to by prompts, over an SSH shell or Telnet (ssh2, Telnet of our own).
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";

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
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifyLogin } = await import("./verify-login.ts");
    return attempt(context, (current) => verifyLogin(target, secret.reveal(), current));
  },
  async change(target: Target, current: Secret, candidate: Secret, context: VerifyContext) {
    const { changeOwn } = await import("./change-password.ts");
    return attemptChange(context, (attempt) => changeOwn(target, current.reveal(), candidate.reveal(), attempt));
  },
  async reconcile(target: Target, by: Login, candidate: Secret, context: VerifyContext) {
    const { changeOther } = await import("./change-password.ts");
    return attemptChange(context, (attempt) => changeOther(target, by, candidate.reveal(), attempt));
  },
  async checkReconcile(target: Target, by: Login, context: VerifyContext) {
    const { checkRight } = await import("./verify-login.ts");
    return attempt(context, (current) => checkRight(target, by, current));
  },
};
