// The dependencies of the account use cases.
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { LoginListener } from "#features/secrets/index.ts";
import type { GrantsInForce } from "./shown-accounts.store.ts";

/** The functions of access requests that accounts use. Access requests do not depend on accounts. */
export interface GrantsPort {
  /** A query for the actor's active grants: `account_id`, `request_id`, `ends_at`. */
  grantsInForce: GrantsInForce;
  /** Records on the actor's active grant, if there is one, that the secret was retrieved. */
  noteRetrieval(tx: Tx, actorId: string, accountId: string): Promise<void>;
}

/** The reasons for which all grants of an account end. */
export type AccessLoss = "deleted" | "moved" | "disabled";

/** Called in the transaction that ends the grants. The accounts' rows in `credentials` are locked. */
export type AccessLossListener = (tx: Tx, accountIds: readonly string[], how: AccessLoss, by: Actor) => Promise<void>;

export interface AccountDeps {
  kernel: Kernel;
  grants: GrantsPort;
  loginChanged: LoginListener;
  lost: AccessLossListener;
}
