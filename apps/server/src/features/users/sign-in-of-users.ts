// The sign-in functions that the users feature needs. The sign-in feature provides them, so that the two features do not import
// each other.
import type { PendingReset, Role, SignInPolicy } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface Addressed {
  id: string;
  email: string;
}

/** The effect of new limits on open sessions. */
export interface UnderLimits {
  ended: { id: string; user_id: string; state: "idle" | "expired" }[];
  /** The number of sessions whose proof would become too old to count as re-authentication. */
  proofsOver: number;
}

/** Why all API tokens of a user are revoked. */
export type TokensEnd =
  | "disabled"
  | "deleted"
  | "password-reset"
  | "password-changed"
  | "factors-reset"
  | "sessions-ended"
  | "provider-changed";

export interface SignInOfUsers {
  /** Users without an open session are omitted. */
  countOpenSessions(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Ends a user's sessions when the transaction commits; returns how many there were. */
  endSessions(tx: Tx, userId: string): Promise<number>;
  /** Ends the sessions of users with one of these roles and no second factor; returns how many there were. */
  endSessionsWithoutFactor(tx: Tx, roles: readonly Role[]): Promise<number>;
  /** Previews new limits without changing anything. */
  underLimits(db: Db, before: SignInPolicy, after: SignInPolicy): Promise<UnderLimits>;
  /** Revokes every API token of a user and the tokens that those created; returns how many were revoked. */
  endTokens(tx: Tx, userId: string, because: TokensEnd): Promise<number>;
  /** Invalidates the user's open reset link or invitation link. */
  forgetReset(tx: Tx, userId: string): Promise<void>;
  /** Whether this user cancelled a reset of their sign-in as unauthorised and no later reset has settled the matter. */
  isVaultHeld(db: Db, userId: string): Promise<boolean>;
  /** Deletes the networks and open resets of a deleted user. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** The names of the identity providers that these users sign in through. Users with a local password are omitted. */
  providersOf(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The time until which each user must wait after wrong passwords. Users without a wait are omitted. */
  slowedDown(db: Db, people: readonly Addressed[]): Promise<ReadonlyMap<string, Date>>;
  /** Deletes the failure counts that slow this user down. Their networks stay slowed down. */
  unlock(tx: Tx, person: Addressed): Promise<void>;
  /**
   * Creates an invitation's single-use link, or queues a job that creates and mails the link. Replaces any earlier link of this
   * user. The link contains a secret. Throws 409 when the link is to be mailed but no mail server is configured.
   */
  invite(tx: Tx, userId: string, by: "mail" | "link"): Promise<{ link: string | null; expiresAt: Date }>;
  pendingResets(db: Db): Promise<PendingReset[]>;
  /** Replaces any earlier link of this user. The link contains a secret and appears only in the reply. */
  issueResetLink(tx: Tx, userId: string, by: string): Promise<{ link: string; expiresAt: Date }>;
}
