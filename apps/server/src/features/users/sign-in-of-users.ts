// What managing people asks of signing in; that feature provides it, so that the two do not import each other.
import type { PendingReset, Role, SignInPolicy } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface Addressed {
  id: string;
  email: string;
}

/** What other limits would do to the sessions that are open. */
export interface UnderLimits {
  ended: { id: string; user_id: string; state: "idle" | "expired" }[];
  /** Whose proof would be too old for what asks for a fresh one, and is not now. */
  proofsOver: number;
}

/** Why all API tokens of a person end. */
export type TokensEnd =
  | "disabled"
  | "deleted"
  | "password-reset"
  | "password-changed"
  | "factors-reset"
  | "sessions-ended"
  | "provider-changed";

export interface SignInOfUsers {
  /** Users without an open session are left out. */
  countOpenSessions(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Ends them when the transaction commits; answers how many there were. */
  endSessions(tx: Tx, userId: string): Promise<number>;
  /** Ends those of everybody with one of these roles who has no second factor; answers how many there were. */
  endSessionsWithoutFactor(tx: Tx, roles: readonly Role[]): Promise<number>;
  /** Nothing is changed by it. */
  underLimits(db: Db, before: SignInPolicy, after: SignInPolicy): Promise<UnderLimits>;
  /** Revokes every API token of a person and the tokens that those created; returns how many. */
  endTokens(tx: Tx, userId: string, because: TokensEnd): Promise<number>;
  /** Invalidates an open reset link or invitation link of this person. */
  forgetReset(tx: Tx, userId: string): Promise<void>;
  /** Whether this person cancelled a reset of their sign-in as not theirs, and no later reset has settled that. */
  isVaultHeld(db: Db, userId: string): Promise<boolean>;
  /** Takes away what signing in knows of a person who is deleted: networks and resets under way. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** The names of the identity providers that these people sign in through; those with a password here are left out. */
  providersOf(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Until when somebody's wrong passwords make them wait; people who need not wait are left out. */
  slowedDown(db: Db, people: readonly Addressed[]): Promise<ReadonlyMap<string, Date>>;
  /** Forgets the wrong passwords that make this person wait. What slows down a network stays. */
  unlock(tx: Tx, person: Addressed): Promise<void>;
  /**
   * Makes the single-use link of an invitation, or has a job make and mail it; it replaces any earlier link of this person. The
   * link holds a secret. Throws 409 when it is to be mailed and no mail server is configured.
   */
  invite(tx: Tx, userId: string, by: "mail" | "link"): Promise<{ link: string | null; expiresAt: Date }>;
  pendingResets(db: Db): Promise<PendingReset[]>;
  /** Replaces any earlier link of this person. The link holds a secret: it goes into the answer and nowhere else. */
  issueResetLink(tx: Tx, userId: string, by: string): Promise<{ link: string; expiresAt: Date }>;
}
