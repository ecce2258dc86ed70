// MongoDB users with a password (its messages spoken by ourselves, with the BSON of `mongodb`). Not proved against a real server, only against a double of ours.
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";

/** `additional_params`: `auth_source` (`admin`) is the database that keeps the user. Facts of an account: `database`, `roles`. */
export const mongodb: Connector = {
  id: "mongodb",
  name: "MongoDB",
  types: ["mongodb", "database"],
  proven: false,
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
    const { listUsers } = await import("./list-users.ts");
    return attemptList(context, (current) => listUsers(target, secret.reveal(), current));
  },
};
