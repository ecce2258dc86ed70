// MySQL and MariaDB users with a password (mysql2).
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";

/**
 * Facts of `verified`: `serverVersion`, `tls` (`mode`, `protocol`).
 *
 * The driver stays out of memory until somebody needs it, and loading it takes nothing of an attempt's time.
 */
export const mysql: Connector = {
  id: "mysql",
  name: "MySQL or MariaDB",
  types: ["mysql", "database"],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    const { verifyLogin } = await import("./verify-login.ts");
    return attempt(context, (current) => verifyLogin(target, password, current));
  },
  async change(target: Target, current: Secret, candidate: Secret, context: VerifyContext) {
    const [before, after] = [current.reveal(), candidate.reveal()];
    const { changePassword } = await import("./change-password.ts");
    return attemptChange(context, (attempted) => changePassword(target, before, after, attempted));
  },
  async reconcile(target: Target, by: Login, candidate: Secret, context: VerifyContext) {
    const password = candidate.reveal();
    const { reconcilePassword } = await import("./reconcile.ts");
    return attemptChange(context, (attempted) => reconcilePassword(target, by, password, attempted));
  },
  async checkReconcile(target: Target, by: Login, context: VerifyContext) {
    const { checkRight } = await import("./reconcile.ts");
    return attempt(context, (current) => checkRight(target, by, current));
  },
  async listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    const { listUsers } = await import("./list-accounts.ts");
    return attemptList(context, (current) => listUsers(target, password, current));
  },
};
