// What every rotation of this server needs.
import type { NetworkPolicy } from "@strongroom/connectors";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { CredentialRow, LoginListener } from "#features/credentials/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { AccountsOfSafes } from "#features/verification/index.ts";
import type { SafePermission } from "@strongroom/contract";

/** What accounts are asked: they know who may do what with them. */
export interface RotatedAccounts {
  /** Throws 404 when this person sees no such account, and 403 when they may not do this with it. */
  hold(tx: Tx, actor: Actor, id: string, permission: SafePermission): Promise<CredentialRow>;
  /** As `hold`, for who could take out the secret by themselves, without an approval. */
  holdSecret(tx: Tx, actor: Actor, id: string, ...permissions: SafePermission[]): Promise<CredentialRow>;
  /** As `holdSecret`, and holds nothing. */
  requireSecret(db: Db, actor: Pick<Actor, "id" | "role">, id: string): Promise<void>;
  /** Throws 404 when this person sees no such account. */
  requireSeen(db: Db, actor: Actor, id: string): Promise<void>;
  /** Throws 404 and 403 as `hold`, and holds nothing. */
  require(db: Db, actor: Pick<Actor, "id" | "role">, id: string, permission: SafePermission): Promise<void>;
  /** The people whom a rotation that nobody asked for concerns. */
  keepersOf(db: Db, id: string): Promise<string[]>;
}

export interface Site {
  kernel: Kernel;
  network: NetworkPolicy;
  /** Who hears of an account, and how often it is verified. */
  accounts: AccountsOfSafes;
  rotated: RotatedAccounts;
  /** To be told of a secret that was stored: it is verified. */
  loginChanged: LoginListener;
  notify: Notify;
}
