// Signs in with a password: every wrong attempt takes the same path and cost and gets the same reply, whether or not the address
// exists.
import type { SignedIn, login } from "@strongroom/contract";
import { Email } from "@strongroom/contract";
import {
  canSignIn,
  findUserByEmail,
  passwordProblem,
  readPolicy,
  requireAllowedNetwork,
} from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { clientKey } from "#kernel/http/rate-limits.ts";
import { openSession } from "./sessions/open-session.ts";
import type { ExternalIdentity, ProofContext } from "./context.ts";
import { admitAttempt, withdrawAttempt } from "./attempts/slow-down.ts";
import type { Attempt } from "./attempts/slow-down.ts";
import { refused } from "./sessions/start-session.ts";

type LoginCall = SteppedCall<typeof login>;

export async function signIn(parts: ProofContext, call: LoginCall, db: Db): Promise<SignedIn> {
  const { passwords } = parts;
  // Check the network before the password, so that callers on other networks cannot learn whether the password is
  // correct.
  const policy = await readPolicy(db);
  requireAllowedNetwork(policy, call.request.ip);
  const { user, takeOver, method, attempt } = await prove(parts, call, db);
  const { password, remember_me: isRemembered } = call.body;
  const isOurs = method === "password" && canSignIn(user);
  const isOutdated = isOurs && passwords.isOutdated(user.password_hash);
  const renewed = isOutdated ? { passwordHash: await passwords.hash(password, call.signal) } : {};
  // A role assigned since the password was set may require a stronger one. Until it is changed, this password does not
  // count as re-authentication.
  const isTooWeak = isOurs && user.role !== "user" && passwordProblem(policy, { ...user, password }) !== null;
  const proof = isTooWeak ? { provedAt: null } : {};
  return openSession(parts, call, { user, takeOver, method, isRemembered, attempt, ...renewed, ...proof });
}

/**
 * Authenticates by a local password or a directory. INVARIANT: an unknown address causes the same look-ups, counting and hashing
 * as a known one, and the reply is the same.
 */
async function prove(
  { kernel, passwords, externalProviders }: ProofContext,
  call: LoginCall,
  db: Db,
): Promise<ExternalIdentity & { method: "password" | "ldap"; attempt: Attempt }> {
  const name = typedName(call.body.email);
  const email = addressOf(call.body.email);
  const user = await findUserByEmail(db, email);
  if (user !== undefined) call.note({ target: { type: "user", id: user.id, name: user.email } });

  const claim = { email: email || (name ?? ""), userId: user?.id ?? null, network: clientKey(call.request.ip) };
  const attempt = await admitAttempt(kernel, claim);
  const stored = user?.password_hash || null;
  const isRight = await passwords.verify(stored, call.body.password, call.signal).catch(async (error: unknown) => {
    // Nothing was compared, so this is not a failed attempt.
    await withdrawAttempt(kernel, attempt);
    throw error;
  });
  if (user !== undefined && isRight) return { user, method: "password", attempt };
  const { password } = call.body;
  const query = name === null ? null : { name, password, user, network: claim.network, signal: call.signal };
  const proved = query === null ? null : await externalProviders.current.proveByDirectory(query);
  if (proved === null) throw refused();
  return { ...proved, method: "ldap", attempt };
}

/** An invalid address is looked up as the empty string, which no user has. */
export const addressOf = (typed: string): string => Email.safeParse(typed).data ?? "";

/**
 * Returns the same spelling for all names that a directory treats as equal, so that guesses at them are counted
 * together. Null for text that cannot be a user name.
 */
function typedName(typed: string): string | null {
  const name = typed.normalize("NFKC").toLowerCase();
  return /^[\p{L}\p{M}\p{N}._@+'-]{1,254}$/u.test(name) ? name : null;
}
