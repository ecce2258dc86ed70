// The methods of a connector whose accounts have passwords: the module that does the work is loaded when it is first needed.
import { attempt, attemptChange, attemptList, type Attempt, type ChangeAttempt } from "./attempt.ts";
import type { ChangeFinding, Connector, Finding, ListFinding, Login, Target } from "./connector.ts";
import { misconfigured, unsent } from "./finding.ts";

/** How each is done, behind a function that loads it. Passwords come as text; a new one is never empty. */
export interface PasswordWork {
  verify: () => Promise<(target: Target, password: string, current: Attempt) => Promise<Finding>>;
  change: () => Promise<
    (target: Target, password: string, candidate: string, current: ChangeAttempt) => Promise<ChangeFinding>
  >;
  reconcile: () => Promise<
    (target: Target, by: Login, candidate: string, current: ChangeAttempt) => Promise<ChangeFinding>
  >;
  checkReconcile: () => Promise<(target: Target, by: Login, current: Attempt) => Promise<Finding>>;
}

export interface ListedPasswordWork extends PasswordWork {
  list: () => Promise<(target: Target, password: string, current: Attempt) => Promise<ListFinding>>;
}

type Method = "verify" | "change" | "reconcile" | "checkReconcile";

/** Drivers stay out of memory until somebody needs them, and loading them takes nothing of an attempt's time. */
export function passwordAbilities(work: ListedPasswordWork): Required<Pick<Connector, Method | "listAccounts">> {
  return {
    ...passwordChanges(work),
    async listAccounts(target, secret, context) {
      const password = secret.reveal();
      const list = await work.list();
      return attemptList(context, (current) => list(target, password, current));
    },
  };
}

/** As `passwordAbilities`, for systems whose accounts are not listed. */
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
