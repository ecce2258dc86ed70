// Oracle Database users with a password (oracledb in its thin mode). Proved against nothing: neither a server nor a double can run here,
// only how attempts end without one, the relay, the meaning of error numbers and the quoting are tested.
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";

/** The entry's database name is the service. Passwords of others are set over checked TLS only; one's own goes encrypted anyway. */
export const oracle: Connector = {
  id: "oracle",
  name: "Oracle Database",
  types: ["oracle", "database"],
  proven: false,
  passwordLimits: { maxLength: 30, forbidden: '"' },
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
    const { checkRight } = await import("./verify-login.ts");
    return attempt(context, (current) => checkRight(target, by, current));
  },
};
