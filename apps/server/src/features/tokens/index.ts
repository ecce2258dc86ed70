// API tokens of users and machine identities.
import type { SuspendedToken } from "@strongroom/contract";
import type { Notify } from "#features/notifications/index.ts";
import type { EndTokens } from "#features/sign-in/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createTokenAuthenticator } from "./authenticate-token.ts";
import { revokeAllOf, revokeAsDisabled } from "./lifetime/end-with-person.ts";
import { deleteMachineRow, transferMachines } from "./machines/machines.store.ts";
import { rolePermissions, RETENTION_AFTER_END } from "./tokens.policy.ts";
import { confirmSuspended, findSuspended, suspendAll } from "./lifetime/suspend-tokens.ts";
import { bindTokens } from "./tokens.routes.ts";
import { notifyOfTokenEnds } from "./notify-token-ends.ts";
import { deleteTokensOf, sweepTokens } from "./tokens.store.ts";

export { searchableMachines } from "./machines/machines.ts";

export interface TokensFeature {
  /** See `SignInContext.endTokens`. */
  endTokens: EndTokens;
  /** Called when a user is disabled. */
  revokeAsDisabled(tx: Tx, userId: string): Promise<void>;
  /** Called when a user or machine identity is deleted. */
  forgetPerson(tx: Tx, userId: string, by: Actor): Promise<void>;
  /** Suspends tokens in a restored database. */
  suspended: {
    suspendAll(tx: Tx): Promise<number>;
    find(db: Db): Promise<SuspendedToken[]>;
    confirm(tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string }[]>;
  };
}

/** Install it after sign-in: credentials that are not API tokens are passed to sign-in's authenticator. */
export function installTokens(kernel: Kernel, { notify }: { notify: Notify }): TokensFeature {
  kernel.authority.grant(rolePermissions);
  kernel.authenticator.current = createTokenAuthenticator(kernel, kernel.authenticator.current);
  bindTokens(kernel);
  defineJobs(kernel, notify);
  return {
    endTokens: (tx, userId, because, keep) => revokeAllOf(kernel, tx, userId, because, keep),
    suspended: { suspendAll, find: findSuspended, confirm: (tx, ids) => confirmSuspended(kernel, tx, ids) },
    revokeAsDisabled: (tx, userId) => revokeAsDisabled(kernel, tx, userId),
    async forgetPerson(tx, userId, by) {
      await revokeAllOf(kernel, tx, userId, "deleted");
      await deleteTokensOf(tx, userId);
      await deleteMachineRow(tx, userId);
      await transferMachines(tx, userId, by.id);
    },
  };
}

export { createTokenAuthenticator } from "./authenticate-token.ts";
export { isTokenText } from "./token-text.ts";
export { revokeAllOf, revokeAsDisabled } from "./lifetime/end-with-person.ts";

function defineJobs(kernel: Kernel, notify: Notify): void {
  const { jobs, database, clock } = kernel;
  jobs.define("tokens.sweep", { schedule: "41 4 * * *", policy: "exclusive" }, () => {
    const now = clock.now();
    return database.transaction((tx) =>
      sweepTokens(tx, { now, before: new Date(now.getTime() - RETENTION_AFTER_END) }),
    );
  });
  jobs.define("tokens.tell-of-ends", { schedule: "13 * * * *", policy: "exclusive" }, () =>
    notifyOfTokenEnds(kernel, notify),
  );
}
