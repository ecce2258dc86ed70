// The caller of an endpoint.
import type { Role, SafeId, Scope, SessionId, TokenId, UserId } from "@strongroom/contract";

export interface Closure {
  /** Null if the vault stays closed until an earlier factor is verified. */
  until: Date | null;
}

export interface Actor {
  id: UserId;
  email: string;
  name: string;
  role: Role;
  /** Whether the account is waiting for activation, so that only calls with `whilePending` are open to it. */
  isPending: boolean;
  /** Null if an API token makes the call. */
  sessionId: SessionId | null;
  /** The latest authentication counts as re-authentication until this time. */
  provedUntil: Date;
  /** Set while the vault is closed because another person reset the user's sign-in; null if it is open. */
  closure: Closure | null;
  /** Null in a session, which has all permissions of its user. */
  token: ActingToken | null;
}

/** The subset of its owner's permissions that a token has. */
export interface ActingToken {
  id: TokenId;
  name: string;
  scopes: ReadonlySet<Scope>;
  /**
   * The safes that the token is limited to; null if it is not limited. INVARIANT: every decision by safes excludes safes outside
   * this list.
   */
  safes: readonly SafeId[] | null;
  networks: readonly string[];
  expiresAt: Date;
}

/**
 * A user in whose name a background job works, with their current permissions. The user is not present, so the actor never
 * counts as re-authenticated.
 */
export const absentActor = ({ id, email, name, role }: Pick<Actor, "id" | "email" | "name" | "role">): Actor => ({
  id,
  email,
  name,
  role,
  isPending: false,
  sessionId: null,
  provedUntil: new Date(0),
  closure: null,
  token: null,
});

/** The user whose permissions a policy evaluates: the caller, or the subject of a call (without a token). */
export type Asker = Pick<Actor, "id" | "role"> & Partial<Pick<Actor, "token">>;

/**
 * The session of a call that is closed to tokens. Throws for a token, which would be a bug, because `requireScope` refuses tokens
 * earlier.
 */
export function sessionOf(actor: Actor): SessionId {
  if (actor.sessionId === null) throw new Error("this call needs a session");
  return actor.sessionId;
}
