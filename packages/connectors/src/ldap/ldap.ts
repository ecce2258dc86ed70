// People and services in an LDAP directory with a password (ldapts).
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";

/**
 * Facts of `verified`: `expiresInSeconds`, `graceLogins`, `tls` (`mode`, `isStartTls`); of a reconcile check `mayReset`
 * (null: the directory does not tell); of an account `dn`, `groups`, `shell`.
 */
export const ldap: Connector = {
  id: "ldap",
  name: "LDAP directory",
  types: ["password"],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    // The driver stays out of memory until somebody verifies, and loading it takes nothing of the attempt's time.
    const { verifyLogin } = await import("./log-in.ts");
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
    const { checkReset } = await import("./check-reconcile.ts");
    return attempt(context, (current) => checkReset(target, by, current));
  },
  async listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    const { listEntries } = await import("./list-accounts.ts");
    return attemptList(context, (current) => listEntries(target, secret.reveal(), current));
  },
};
