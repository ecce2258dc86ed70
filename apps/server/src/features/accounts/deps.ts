// What the use cases of accounts are handed by the rest of the product.
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { LoginListener } from "#features/credentials/index.ts";
import type { GrantsInForce } from "./shown-accounts.store.ts";

/** What access-requests tells and is told; it takes nothing of accounts. */
export interface Grants {
  /** A query for the actor's grants in force: `account_id`, `request_id`, `ends_at`. */
  grantsInForce: GrantsInForce;
  /** Notes on the actor's grant in force, if there is one, that the secret was retrieved. */
  noteRetrieval(tx: Tx, actorId: string, accountId: string): Promise<void>;
}

/** How an account stops being what was lent. */
export type Loss = "deleted" | "moved" | "disabled";

/** Called in the transaction that makes it true, with the accounts' rows in `credentials` held. */
export type LossListener = (tx: Tx, accountIds: readonly string[], how: Loss, by: Actor) => Promise<void>;

export interface AccountDeps {
  kernel: Kernel;
  grants: Grants;
  loginChanged: LoginListener;
  lost: LossListener;
}

export type { HistoryOfTarget } from "#features/credentials/index.ts";
