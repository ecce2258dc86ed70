// The methods of a connector whose system generates the secrets: loads the implementing module on first use.
import {
  attempt,
  attemptChange,
  attemptList,
  attemptWith,
  type Attempt,
  type ChangeAttempt,
  type ListAttempt,
} from "../attempt.ts";
import type { ChangeFinding, Connector, Finding, IssueFinding, ListFinding, Target } from "../connector.ts";

/** The implementations, each behind a function that loads it. Secrets are passed as text. */
interface IssuedWork {
  verify: () => Promise<(target: Target, secret: string, current: Attempt) => Promise<Finding>>;
  issue: () => Promise<(target: Target, secret: string, current: ChangeAttempt) => Promise<IssueFinding>>;
  retire: () => Promise<
    (target: Target, secret: string, retired: string, current: ChangeAttempt) => Promise<ChangeFinding>
  >;
  list: () => Promise<(target: Target, secret: string, current: ListAttempt) => Promise<ListFinding>>;
}

/** SDKs are loaded on first use, so that loading does not count towards the attempt's time limit. */
export function issuedCapabilities(
  work: IssuedWork,
): Required<Pick<Connector, "verify" | "issue" | "retire" | "listAccounts">> {
  return {
    async verify(target, secret, context) {
      const verify = await work.verify();
      return attempt(context, (current) => verify(target, secret.reveal(), current));
    },
    async issue(target, secret, context) {
      const issue = await work.issue();
      return attemptWith(context, (current) => issue(target, secret.reveal(), current));
    },
    async retire(target, secret, retired, context) {
      const retire = await work.retire();
      return attemptChange(context, (current) => retire(target, secret.reveal(), retired.reveal(), current));
    },
    async listAccounts(target, secret, context) {
      const list = await work.list();
      return attemptList(context, (current) => list(target, secret.reveal(), current));
    },
  };
}
