// The methods of a connector for password accounts: loads the implementing module on first use.
import { attempt, attemptChange, attemptList, type Attempt, type ChangeAttempt, type ListAttempt } from "./attempt.ts";
import type { ChangeFinding, Connector, Finding, ListFinding, ReconcileLogin, Target } from "./connector.ts";
import { misconfigured, unsent } from "./finding.ts";

/** The implementations, each behind a function that loads it. Passwords are passed as text; a new password is never empty. */
export interface PasswordWork {
  verify: () => Promise<(target: Target, password: string, current: Attempt) => Promise<Finding>>;
  change: () => Promise<
    (target: Target, password: string, candidate: string, current: ChangeAttempt) => Promise<ChangeFinding>
  >;
  reconcile: () => Promise<
    (target: Target, by: ReconcileLogin, candidate: string, current: ChangeAttempt) => Promise<ChangeFinding>
  >;
  checkReconcile: () => Promise<(target: Target, by: ReconcileLogin, current: Attempt) => Promise<Finding>>;
}

export interface ListedPasswordWork extends PasswordWork {
  list: () => Promise<(target: Target, password: string, current: ListAttempt) => Promise<ListFinding>>;
}

type Method = "verify" | "change" | "reconcile" | "checkReconcile";

/** Drivers are loaded on first use, so that loading does not count towards the attempt's time limit. */
export function passwordCapabilities(work: ListedPasswordWork): Required<Pick<Connector, Method | "listAccounts">> {
  return {
    ...passwordChanges(work),
    async listAccounts(target, secret, context) {
      const password = secret.reveal();
      const list = await work.list();
      return attemptList(context, (current) => list(target, password, current));
    },
  };
}

/** Like `passwordCapabilities`, for systems that cannot list accounts. */
export function passwordChanges(work: PasswordWork): Required<Pick<Connector, Method>> {
  return {
    async verify(target, secret, context) {
      const password = secret.reveal();
      const verify = await work.verify();
      return attempt(context, (current) => verify(target, password, current));
    },
    async change(target, current, candidate, context) {
      const [before, next] = [current.reveal(), candidate.reveal()];
      const change = await work.change();
      return attemptChange(context, (running) => (next === "" ? noPassword() : change(target, before, next, running)));
    },
    async reconcile(target, by, candidate, context) {
      const next = candidate.reveal();
      const reconcile = await work.reconcile();
      return attemptChange(context, (running) => (next === "" ? noPassword() : reconcile(target, by, next, running)));
    },
    async checkReconcile(target, by, context) {
      const check = await work.checkReconcile();
      return attempt(context, (current) => check(target, by, current));
    },
  };
}

async function noPassword(): Promise<ChangeFinding> {
  return unsent(misconfigured("bad-input", "The new password is empty."));
}
