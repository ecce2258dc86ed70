// Who makes a call.
import type { Role, SafeId, Scope, SessionId, TokenId, UserId } from "@strongroom/contract";

export interface Closure {
  /** Null: closed until they prove an earlier factor. */
  until: Date | null;
}

export interface Actor {
  id: UserId;
  email: string;
  name: string;
  role: Role;
  /** Their account waits for activation: only calls with `whilePending` are open to them. */
  isPending: boolean;
  /** Null: an API token makes the call. */
  sessionId: SessionId | null;
  /** Until when their last proof of who they are opens what asks for a fresh one. */
  provedUntil: Date;
  /** While their vault is closed because another person reset how they sign in; null: it is open. */
  closure: Closure | null;
  /** Null in a session, which may do all that its person may. */
  token: ActingToken | null;
}

/** What of its holder's permissions a token may use. */
export interface ActingToken {
  id: TokenId;
  name: string;
  scopes: ReadonlySet<Scope>;
  /** Null: wherever its holder may go. INVARIANT: everything that decides by safes leaves out the others. */
  safes: readonly SafeId[] | null;
  networks: readonly string[];
  expiresAt: Date;
}

/** What policies ask of a person: their own, or those of somebody whom a call is about, who holds no token then. */
export type Asker = Pick<Actor, "id" | "role"> & Partial<Pick<Actor, "token">>;

/** The session of a call that no token can make. Throws for a token: a bug, because `requireScope` was there before. */
export function sessionOf(actor: Actor): SessionId {
  if (actor.sessionId === null) throw new Error("this call needs a session");
  return actor.sessionId;
}
