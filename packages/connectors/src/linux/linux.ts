// Linux and Unix accounts, and everything else that lets people in over SSH (ssh2).
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList } from "../attempt.ts";
import type { ChangeFinding, Connector, Login, Target, VerifyContext } from "../connector.ts";
import { changed } from "../finding.ts";
import { looksLikePrivateKey, parseJsonSecret } from "../private-key/json-secret.ts";

/**
 * Facts of `verified`: `hostKey` (pin it when none is pinned), `isFirstUse`, `method`, `runsCommands`.
 * Facts of the alarm `host-key-changed`: `hostKey`, `pinnedHostKey`.
 *
 * The driver stays out of memory until somebody needs it, and loading it takes nothing of an attempt's time.
 */
export const linux: Connector = {
  id: "linux",
  name: "Linux or Unix over SSH",
  types: ["ssh", "server", "password"],
  proven: true,
  passwordLimits: { maxLength: 128 },
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const value = secret.reveal();
    const { verifyLogin } = await import("./verify-login.ts");
    return attempt(context, (current) => verifyLogin(target, value, current));
  },
  async newSecret(current: Secret) {
    const { newKeyPair } = await import("./key-pair.ts");
    return newKeyPair(current);
  },
  async change(target: Target, current: Secret, candidate: Secret, context: VerifyContext) {
    const [before, after] = [current.reveal(), candidate.reveal()];
    const [{ changeKey }, { changePassword }] = await Promise.all([
      import("./change-key.ts"),
      import("./change-password.ts"),
    ]);
    const change = isKey(target, before) ? changeKey : changePassword;
    return attemptChange(context, (attempted) => change(target, before, after, attempted));
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
  async retire(target: Target, current: Secret, retired: Secret, context: VerifyContext) {
    const [used, old] = [current.reveal(), retired.reveal()];
    const { retireKey } = await import("./change-key.ts");
    const retire = (attempted: Parameters<typeof retireKey>[3]): Promise<ChangeFinding> =>
      isKey(target, old) ? retireKey(target, used, old, attempted) : Promise.resolve(NO_SECOND_PASSWORD);
    return attemptChange(context, retire);
  },
  async listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    const value = secret.reveal();
    const { listUsers } = await import("./list-accounts.ts");
    return attemptList(context, (current) => listUsers(target, value, current));
  },
};

const NO_SECOND_PASSWORD = changed("A password ends when another one takes its place: there is nothing to take away.");

/** Entries of type SSH Key hold keys; others may. */
function isKey(target: Target, value: string): boolean {
  return target.type === "ssh" || looksLikePrivateKey(value) || parseJsonSecret(value) !== null;
}
