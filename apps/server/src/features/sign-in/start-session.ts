// Starts sessions: whoever has proved all that they must gets one here and nowhere else.
import { SessionId } from "@strongroom/contract";
import type { SignInPolicy, TokenPayload } from "@strongroom/contract";
import { canSignIn, holdPolicy, markSignedIn, readPolicy, requireAllowedNetwork } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import { closeVault } from "#features/vault-closure/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { insertSession } from "./sessions.store.ts";
import type { SessionsTable } from "./sessions.store.ts";
import { newStreamSecret, streamHash } from "./sessions.ts";
import { longestLife } from "./sign-in.policy.ts";
import type { SignInMethod } from "./sign-in.policy.ts";
import type { Demand, SignInParts, TakeOver } from "./sign-in-parts.ts";
import { rewardAttempt } from "./slow-down.ts";
import type { Attempt } from "./slow-down.ts";
import { streamCookie } from "./stream-cookie.ts";

export interface Proved {
  /** As they were when the proof was checked: a change of password, role or status since then makes it worthless. */
  user: UsersTable;
  method: SignInMethod;
  /** "Keep me signed in". */
  isRemembered: boolean;
  /** The way itself proved two things (a passkey, a provider that is trusted for it): no second step follows. */
  isStrong?: boolean;
  /** The account is taken over with this, by who proved both to be its owner's: its own second factor is asked for then. */
  takeOver?: TakeOver | undefined;
  /** What the second step was done with. */
  secondStep?: string;
  /** The counted attempt, which is paid back when the session is there. */
  attempt?: Attempt;
  /** When an identity provider authenticated the person; null: not sent. Omitted: they proved themselves here, now. */
  provedAt?: Date | null;
  /** The password's hash to store anew; without it the stored one stays. */
  passwordHash?: string;
  /** What else has to happen with this proof, in its transaction, after the person's row is held. */
  within?: (tx: Tx) => Promise<void>;
  /** The same, but after an account that is taken over now is so: for what is said of the binding that this makes. */
  afterwards?: (tx: Tx) => Promise<void>;
}

/** Any call that ends in a session: `SteppedCall` of an endpoint with an audit event. */
export type SignInCall = Pick<SteppedCall<never>, "request" | "note" | "setHeader" | "commit">;

/**
 * Opens the session of somebody who is proved, in the transaction of the call's audit entry, and sets the stream's cookie.
 * Throws 403 `account.disabled` or `network.not-allowed`, and 401 when what was proved is no longer so.
 */
export async function startSession(parts: SignInParts, call: SignInCall, proved: Proved): Promise<{ token: string }> {
  const { kernel, tokens, elsewhere } = parts;
  const { user, method, isRemembered, attempt, takeOver } = proved;
  const policy = await admitPerson(parts, call, user);
  const now = kernel.clock.now();
  const secret = newStreamSecret();
  const session: SessionsTable = {
    // INVARIANT: a session's id is made here and now; nothing that the client sends becomes one.
    id: SessionId.parse(newId(now.getTime())),
    user_id: user.id,
    stream_hash: streamHash(secret),
    is_remembered: isRemembered,
    ip: call.request.ip,
    agent: call.request.agent,
    created_at: now,
    last_active_at: now,
    expires_at: new Date(now.getTime() + longestLife(isRemembered, policy)),
    proved_at: provedAtOf(proved, now),
    method,
  };
  const token = await tokens.issue(payloadOf(asTheyBecome(proved), session));
  const details: Record<string, string | boolean> = { session: session.id, remembered: isRemembered, method };
  if (proved.secondStep !== undefined) details["second_step"] = proved.secondStep;
  call.note({ details });
  await call.commit(async (tx) => {
    // The row of the user first: a reset or a role change under way either sees this session or makes it fail.
    if (!(await markSignedIn(tx, user, now, proved.passwordHash ?? user.password_hash))) throw refused();
    await requireNothingMissing(parts, tx, proved);
    if (attempt !== undefined) await rewardAttempt(tx, attempt, user.id, now);
    await proved.within?.(tx);
    if (takeOver !== undefined) {
      await elsewhere.current.takeOver(tx, user, takeOver);
      // A second step used the account's own factor, so its owner is present.
      if (proved.secondStep === undefined) {
        await closeVault(kernel, tx, { person: user, cause: "provider-changed", by: "An identity provider" });
      }
    }
    await proved.afterwards?.(tx);
    await insertSession(tx, session);
  });
  call.setHeader("set-cookie", streamCookie(kernel, secret, session));
  return { token };
}

/** A session without a checked proof asks for one at the first call that needs it. */
const UNPROVED = new Date(0);

/** INVARIANT: a provider's proof counts from when it authenticated the person, not from when it was asked. */
function provedAtOf({ secondStep, provedAt }: Proved, now: Date): Date {
  if (secondStep !== undefined || provedAt === undefined) return now;
  return provedAt ?? UNPROVED;
}

/**
 * What this person still has to prove. Null: nothing. A way that proved two things is enough, but for an account that is taken
 * over: its second factor, where there is one, is all that tells its owner from somebody who has its address elsewhere.
 */
export async function missingProof(parts: SignInParts, db: Db, proved: Proved): Promise<Demand | null> {
  if (proved.secondStep !== undefined || (proved.isStrong === true && proved.takeOver === undefined)) return null;
  const demand = await parts.secondStep.current(db, asTheyBecome(proved));
  return proved.isStrong === true && demand?.kinds.length === 0 ? null : demand;
}

/** Throws 401 when a second step is needed since it was asked: a factor came meanwhile, or the role has to have one now. */
async function requireNothingMissing(parts: SignInParts, tx: Tx, proved: Proved): Promise<void> {
  await holdPolicy(tx);
  if ((await missingProof(parts, tx, proved)) !== null) throw refused();
}

const asTheyBecome = ({ user, takeOver }: Proved): UsersTable => ({ ...user, role: takeOver?.role ?? user.role });

/** Throws 403 for who comes from a network that the policy does not allow, or is disabled. Answers the policy. */
export async function admitPerson({ kernel }: SignInParts, call: SignInCall, user: UsersTable): Promise<SignInPolicy> {
  requireActive(call, user);
  const policy = await readPolicy(kernel.database.db);
  requireAllowedNetwork(policy, call.request.ip);
  return policy;
}

/** Whoever is disabled is told so, but only after they have proved who they are. */
export function requireActive(call: Pick<SignInCall, "note">, user: UsersTable): void {
  call.note({
    actor: { id: user.id, name: user.name, role: user.role },
    target: { type: "user", id: user.id, name: user.email },
  });
  if (canSignIn(user)) return;
  throw refuse(403, "account.disabled", "This account is disabled. Please ask an administrator.");
}

/** The one answer for every proof that does not hold. */
export const refused = () => refuse(401, "sign-in.refused", "Invalid credentials");

/** AUTH-23. `exp` and `iat` are whole seconds; the token ends with the second in which the session does. */
export const payloadOf = (
  user: Pick<UsersTable, "id" | "email" | "role" | "name">,
  session: Pick<SessionsTable, "id" | "created_at" | "expires_at">,
): TokenPayload => ({
  id: user.id,
  email: user.email,
  role: user.role,
  name: user.name,
  iat: Math.floor(session.created_at.getTime() / 1000),
  exp: Math.floor(session.expires_at.getTime() / 1000),
  sid: session.id,
});
