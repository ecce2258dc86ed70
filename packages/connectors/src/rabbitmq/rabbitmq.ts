// RabbitMQ users with a password: proved over AMQP as applications log in, changed by the management interface.
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";
import { verifyLogin } from "./verify-login.ts";

/** Facts of `verified`: `serverVersion`, `tls` (`mode`); of an account `tags`, `hasPassword`. */
export const rabbitmq: Connector = {
  id: "rabbitmq",
  name: "RabbitMQ",
  types: ["password", "server", "application"],
  proven: true,
  verify(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    return attempt(context, (current) => verifyLogin(target, password, current));
  },
  async change(target: Target, current: Secret, candidate: Secret, context: VerifyContext) {
    const { changeOwn } = await import("./set-password.ts");
    return attemptChange(context, (running) => changeOwn(target, current.reveal(), candidate.reveal(), running));
  },
  async reconcile(target: Target, by: Login, candidate: Secret, context: VerifyContext) {
    const { reset } = await import("./set-password.ts");
    return attemptChange(context, (running) => reset(target, by, candidate.reveal(), running));
  },
  async checkReconcile(target: Target, by: Login, context: VerifyContext) {
    const { checkReset } = await import("./set-password.ts");
    return attempt(context, (current) => checkReset(target, by, current));
  },
  async listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    const { listUsers } = await import("./list-accounts.ts");
    return attemptList(context, (current) => listUsers(target, secret.reveal(), current));
  },
};
