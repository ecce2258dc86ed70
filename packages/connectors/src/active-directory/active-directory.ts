// Accounts of a Windows domain, at its domain controller over LDAPS (ldapts).
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";

/**
 * A controller accepts the password before the one in force for up to an hour (`OldPasswordAllowedPeriod`): after a change
 * a log-in with the old one proves nothing. That is what the fact `mayBePreviousPassword` of `verified` says, and
 * `oldPasswordMayWorkForMinutes` of `changed`. Further facts of `verified`: `passwordChangedAt`, `tls`; of a reconcile
 * check `mayReset` (null: it may not be read who may).
 */
export const activeDirectory: Connector = {
  id: "active-directory",
  name: "Active Directory",
  types: ["password", "server", "application"],
  proven: true,
  passwordLimits: { maxLength: 127 },
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    // The driver stays out of memory until somebody verifies, and loading it takes nothing of the attempt's time.
    const { verifyLogin } = await import("./verify-login.ts");
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
    const { listUsers } = await import("./list-accounts.ts");
    return attemptList(context, (current) => listUsers(target, secret.reveal(), current));
  },
};
