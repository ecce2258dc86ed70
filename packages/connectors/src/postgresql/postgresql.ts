// PostgreSQL roles with a password (pg).
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { Connector, Login, Target, VerifyContext } from "../connector.ts";
import { changePassword } from "./change-password.ts";
import { listRoles } from "./list-accounts.ts";
import { checkRight, reconcilePassword } from "./reconcile.ts";
import { verifyLogin } from "./verify-login.ts";

/**
 * Facts of `verified`: `serverVersion`, `validUntil`, `isSuperuser`, `schemaExists`, `tls` (`mode`, `protocol`).
 *
 * INVARIANT: no password is sent in a statement. The server gets a SCRAM-SHA-256 verifier, so that neither its log nor its
 * statistics can hold the password.
 */
export const postgresql: Connector = {
  id: "postgresql",
  name: "PostgreSQL",
  types: ["postgresql", "database"],
  proven: true,
  verify(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    return attempt(context, (current) => verifyLogin(target, password, current));
  },
  change(target: Target, current: Secret, candidate: Secret, context: VerifyContext) {
    const [before, after] = [current.reveal(), candidate.reveal()];
    return attemptChange(context, (attempted) => changePassword(target, before, after, attempted));
  },
  reconcile(target: Target, by: Login, candidate: Secret, context: VerifyContext) {
    const password = candidate.reveal();
    return attemptChange(context, (attempted) => reconcilePassword(target, by, password, attempted));
  },
  checkReconcile(target: Target, by: Login, context: VerifyContext) {
    return attempt(context, (current) => checkRight(target, by, current));
  },
  listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    return attemptList(context, (current) => listRoles(target, password, current));
  },
};
