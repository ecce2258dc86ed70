// The dependencies of the rotation feature.
import type { NetworkPolicy } from "@strongroom/connectors";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { SecretRow, LoginListener } from "#features/secrets/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { AccountsOfSafes } from "#features/verification/index.ts";
import type { SafePermission } from "@strongroom/contract";

/** The permission checks and row locks that the accounts feature provides. */
export interface RotatedAccounts {
  /** Locks the account. Throws 404 when the actor cannot see it, and 403 when they lack the permission. */
  hold(tx: Tx, actor: Actor, id: string, permission: SafePermission): Promise<SecretRow>;
  /** Like `hold`, but also requires that the actor may retrieve the secret without an approval. */
  holdSecret(tx: Tx, actor: Actor, id: string, ...permissions: SafePermission[]): Promise<SecretRow>;
  /** Like `holdSecret`, without the lock. */
  requireSecret(db: Db, actor: Pick<Actor, "id" | "role">, id: string): Promise<void>;
  /** Throws 404 when the actor cannot see the account. */
  requireSeen(db: Db, actor: Actor, id: string): Promise<void>;
  /** Like `hold`, without the lock. */
  require(db: Db, actor: Pick<Actor, "id" | "role">, id: string, permission: SafePermission): Promise<void>;
  /** The users to notify of a rotation that no user requested. */
  secretManagersOf(db: Db, id: string): Promise<string[]>;
}

export interface RotationContext {
  kernel: Kernel;
  network: NetworkPolicy;
  /** The audience of an account's events, and how often the account is verified. */
  accounts: AccountsOfSafes;
  rotated: RotatedAccounts;
  /** Called after a secret was stored, so that it is verified. */
  loginChanged: LoginListener;
  notify: Notify;
  /** Called in the transaction in which a rotation ends or stops for a user. */
  settled: RotationListener;
  /** Called in the transaction that stores the successful update of a dependent. */
  dependentUpdated: DependentListener;
}

export type RotationListener = (tx: Tx, rotation: { id: string; credentialId: string }) => Promise<void>;

/** `before` and `version` are the versions of the secret that the dependent had and has. */
export type DependentListener = (
  tx: Tx,
  updated: { id: string; accountId: string; before: number | null; version: number },
) => Promise<void>;
