// Local Windows accounts over WinRM (HTTPS with Basic, SOAP by hand). Not proved against Windows, only against a double of ours.
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";

/** Facts of `verified`: none. The server must allow Basic (`winrm/config/service/auth`), which knows local accounts only. */
export const winrm: Connector = {
  id: "winrm",
  name: "Windows over WinRM",
  types: ["password", "server", "application"],
  proven: false,
  passwordLimits: { maxLength: 127 },
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifyLogin } = await import("./verify-login.ts");
    return attempt(context, (current) => verifyLogin(target, secret.reveal(), current));
  },
  async change(target: Target, current: Secret, candidate: Secret, context: VerifyContext) {
    const { changeOwn } = await import("./set-password.ts");
    return attemptChange(context, (running) => changeOwn(target, current.reveal(), candidate.reveal(), running));
  },
  async reconcile(target: Target, by: Login, candidate: Secret, context: VerifyContext) {
    const { changeOther } = await import("./set-password.ts");
    return attemptChange(context, (running) => changeOther(target, by, candidate.reveal(), running));
  },
  async checkReconcile(target: Target, by: Login, context: VerifyContext) {
    const { checkRight } = await import("./set-password.ts");
    return attempt(context, (current) => checkRight(target, by, current));
  },
};
