// API tokens of people and machine identities: how programs act here, for whom, and for how long.
import type { SuspendedToken } from "@strongroom/contract";
import type { Notify } from "#features/notifications/index.ts";
import type { EndTokens } from "#features/sign-in/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createTokenAuthenticator } from "./authenticate-token.ts";
import { revokeAllOf, revokeAsDisabled } from "./end-with-person.ts";
import { deleteMachineRow, handOver } from "./machines.store.ts";
import { defineJobs } from "./tokens.jobs.ts";
import { grants } from "./tokens.policy.ts";
import { confirmSuspended, findSuspended, suspendAll } from "./suspend-tokens.ts";
import { bindTokens } from "./tokens.routes.ts";
import { deleteTokensOf } from "./tokens.store.ts";

export { searchableMachines } from "./search-machines.ts";

export interface TokensFeature {
  /** See `SignInParts.endTokens`. */
  endTokens: EndTokens;
  /** For somebody who is disabled. */
  revokeAsDisabled(tx: Tx, userId: string): Promise<void>;
  /** For a person or a machine identity that is deleted. */
  forgetPerson(tx: Tx, userId: string, by: Actor): Promise<void>;
  /** For a restored database. */
  suspended: {
    suspendAll(tx: Tx): Promise<number>;
    find(db: Db): Promise<SuspendedToken[]>;
    confirm(tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string }[]>;
  };
}

/** After the feature that knows sessions: what is no token is left to it. */
export function installTokens(kernel: Kernel, { notify }: { notify: Notify }): TokensFeature {
  kernel.authority.grant(grants);
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
      await handOver(tx, userId, by.id);
    },
  };
}

export { revokeAllOf, revokeAsDisabled } from "./end-with-person.ts";
