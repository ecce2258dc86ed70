// SQL Server logins with a password (tedious over a stream of ours). Not proved against a real server, only against a double of ours.
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";

/** TLS with a checked certificate is needed: TDS carries passwords as they are. */
export const mssql: Connector = {
  id: "mssql",
  name: "SQL Server",
  types: ["mssql", "database"],
  proven: false,
  passwordLimits: { maxLength: 128 },
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
  async listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    const { listLogins } = await import("./list-logins.ts");
    return attemptList(context, (current) => listLogins(target, secret.reveal(), current));
  },
};
