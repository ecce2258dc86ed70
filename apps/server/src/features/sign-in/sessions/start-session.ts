// Starts sessions. Every session begins here, after all required proofs.
import { SessionId } from "@strongroom/contract";
import type { SignInPolicy, SshKeyId, TokenPayload } from "@strongroom/contract";
import { markKeyUsed } from "#features/ssh-keys/index.ts";
import { canSignIn, lockPolicyShared, markSignedIn, readPolicy, requireAllowedNetwork } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import { closeVault } from "#features/vault-closure/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { insertSession } from "./sessions.store.ts";
import type { SessionsTable } from "./sessions.store.ts";
import { newStreamSecret, streamHash } from "./sessions.ts";
import { maxSessionLifetime } from "../sign-in.policy.ts";
import type { SignInMethod } from "../sign-in.policy.ts";
import type { SecondStepDemand, ProofContext, TakeOver } from "../context.ts";
import { undoAttemptCount } from "../attempts/slow-down.ts";
import type { Attempt } from "../attempts/slow-down.ts";
import { streamCookie } from "./stream-cookie.ts";

export interface ProvenIdentity {
  /** The user's row when the proof was checked. A later change of password, role or status invalidates the proof. */
  user: UsersTable;
  method: SignInMethod;
  /** The "Keep me signed in" choice. */
  isRemembered: boolean;
  /** The method itself proved two factors (a passkey, or a provider trusted for it), so no second step follows. */
  isStrong?: boolean;
  /**
   * An existing account to bind to the provider's identity, after proof that both belong to the user. The account's own second
   * factor is then required.
   */
  takeOver?: TakeOver | undefined;
  /** For the method `ssh-key`. */
  sshKeyId?: SshKeyId | null;
  /** The kind of factor used in the second step. */
  secondStep?: string;
  /** The counted attempt, which is undone when the session starts. */
  attempt?: Attempt;
  /**
   * When an identity provider authenticated the user; null when the provider did not say. Omitted when the user has
   * just proved their identity here.
   */
  provedAt?: Date | null;
  /** A new password hash to store; omitted to keep the current one. */
  passwordHash?: string;
  /** Further work for this proof, in the same transaction, after the user's row is locked. */
  within?: (tx: Tx) => Promise<void>;
  /** As `within`, but after `takeOver`: for work that needs the new binding to the provider. */
  afterwards?: (tx: Tx) => Promise<void>;
}

/** Any call that can open a session: `SteppedCall` of an endpoint with an audit event. */
export type SignInCall = Pick<SteppedCall<never>, "request" | "note" | "setHeader" | "commit">;

/**
 * Opens the session of an authenticated user, in the transaction of the call's audit entry, and sets the stream's cookie. Throws
 * 403 `account.disabled` or `network.not-allowed`, and 401 when the proof is no longer valid.
 */
export async function startSession(
  parts: ProofContext,
  call: SignInCall,
  proved: ProvenIdentity,
): Promise<{ token: string }> {
  const { kernel, tokens, externalProviders } = parts;
  const { user, method, isRemembered, attempt, takeOver } = proved;
  const policy = await admitPerson(parts, call, user);
  const now = kernel.clock.now();
  const secret = newStreamSecret();
  const session: SessionsTable = {
    // INVARIANT: a session's id is generated here; no value from the client becomes one.
    id: SessionId.parse(newId(now.getTime())),
    user_id: user.id,
    stream_hash: streamHash(secret),
    is_remembered: isRemembered,
    ip: call.request.ip,
    agent: call.request.agent,
    created_at: now,
    last_active_at: now,
    expires_at: new Date(now.getTime() + maxSessionLifetime(isRemembered, policy)),
    proved_at: provedAtOf(proved, now),
    method,
    ssh_key_id: proved.sshKeyId ?? null,
  };
  const token = await tokens.issue(payloadOf(asTheyBecome(proved), session));
  const details: Record<string, string | boolean> = { session: session.id, remembered: isRemembered, method };
  if (proved.secondStep !== undefined) details["second_step"] = proved.secondStep;
  if (session.ssh_key_id !== null) details["ssh_key"] = session.ssh_key_id;
  call.note({ details });
  await call.commit(async (tx) => {
    // Lock the user's row first: a concurrent reset or role change either sees this session or makes this call fail.
    if (!(await markSignedIn(tx, user, now, proved.passwordHash ?? user.password_hash))) throw refused();
    await requireNothingMissing(parts, tx, proved);
    if (attempt !== undefined) await undoAttemptCount(tx, attempt, user.id, now);
    if (session.ssh_key_id !== null && !(await markKeyUsed(tx, session.ssh_key_id, session.ip, now))) throw refused();
    await proved.within?.(tx);
    if (takeOver !== undefined) {
      await externalProviders.current.takeOver(tx, user, takeOver);
      // If there was a second step, it used the account's own factor, so the owner is present.
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

/** A session without a checked proof requires re-authentication at the first sensitive call. */
const UNPROVED = new Date(0);

/**
 * INVARIANT: a provider's proof counts from the time when the provider authenticated the user, not from the time of our
 * request.
 */
function provedAtOf({ secondStep, provedAt }: ProvenIdentity, now: Date): Date {
  if (secondStep !== undefined || provedAt === undefined) return now;
  return provedAt ?? UNPROVED;
}

/**
 * The second step that this user still needs, or null. A method that proves two factors is enough, except when an
 * account is taken over: only its own second factor, if any, distinguishes its owner from another person with the same
 * address at the provider.
 */
export async function missingSecondStep(
  parts: ProofContext,
  db: Db,
  proved: ProvenIdentity,
): Promise<SecondStepDemand | null> {
  if (proved.secondStep !== undefined || (proved.isStrong === true && proved.takeOver === undefined)) return null;
  const demand = await parts.secondStep.current(db, asTheyBecome(proved));
  return proved.isStrong === true && demand?.kinds.length === 0 ? null : demand;
}

/** Throws 401 when a second step became necessary in the meantime: a factor was added, or the role now requires one. */
async function requireNothingMissing(parts: ProofContext, tx: Tx, proved: ProvenIdentity): Promise<void> {
  await lockPolicyShared(tx);
  if ((await missingSecondStep(parts, tx, proved)) !== null) throw refused();
}

const asTheyBecome = ({ user, takeOver }: ProvenIdentity): UsersTable => ({
  ...user,
  role: takeOver?.role ?? user.role,
});

/** Returns the policy. Throws 403 for a disabled user or a network that the policy does not allow. */
export async function admitPerson({ kernel }: ProofContext, call: SignInCall, user: UsersTable): Promise<SignInPolicy> {
  requireActive(call, user);
  const policy = await readPolicy(kernel.database.db);
  requireAllowedNetwork(policy, call.request.ip);
  return policy;
}

/** A disabled user gets this answer only after proving their identity. */
export function requireActive(call: Pick<SignInCall, "note">, user: UsersTable): void {
  call.note({
    actor: { id: user.id, name: user.name, role: user.role },
    target: { type: "user", id: user.id, name: user.email },
  });
  if (canSignIn(user)) return;
  throw refuse(403, "account.disabled", "This account is disabled. Please ask an administrator.");
}

/** The same reply is used for every failed proof. */
export const refused = () => refuse(401, "sign-in.refused", "Invalid credentials");

/** AUTH-23. `exp` and `iat` are in whole seconds; the token expires in the second in which the session ends. */
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
