// Redis users with a password, over TLS (a protocol of a page, spoken by ourselves).
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";
import { listUsers } from "./list-accounts.ts";
import { verifyLogin } from "./log-in.ts";
import { changeOwn, checkReset, reset } from "./set-password.ts";

/**
 * A user name that is left out is `default`. Facts of `verified`: `tls` (`mode`); of `changed`: `isPersistent`, false when a
 * restart would bring the old password back; of an account `needsPassword`, `passwords` (how many), `commands`.
 */
export const redis: Connector = {
  id: "redis",
  name: "Redis",
  types: ["password", "server", "application", "database"],
  proven: true,
  verify(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    return attempt(context, (current) => verifyLogin(target, password, current));
  },
  change(target: Target, current: Secret, candidate: Secret, context: VerifyContext) {
    return attemptChange(context, (running) => changeOwn(target, current.reveal(), candidate.reveal(), running));
  },
  reconcile(target: Target, by: Login, candidate: Secret, context: VerifyContext) {
    return attemptChange(context, (running) => reset(target, by, candidate.reveal(), running));
  },
  checkReconcile(target: Target, by: Login, context: VerifyContext) {
    return attempt(context, (current) => checkReset(target, by, current));
  },
  listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    return attemptList(context, (current) => listUsers(target, secret.reveal(), current));
  },
};
