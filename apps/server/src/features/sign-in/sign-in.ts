// Signing in with a password: one path, one cost and one answer for every wrong attempt, whoever it names.
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
import { openSession } from "./open-session.ts";
import type { ProvedElsewhere, SignInParts } from "./sign-in-parts.ts";
import { admitAttempt, withdrawAttempt } from "./slow-down.ts";
import type { Attempt } from "./slow-down.ts";
import { refused } from "./start-session.ts";
import { typedName } from "./typed-name.ts";

type LoginCall = SteppedCall<typeof login>;

export async function signIn(parts: SignInParts, call: LoginCall, db: Db): Promise<SignedIn> {
  const { passwords } = parts;
  // Before the password is looked at: from elsewhere, nobody learns whether it is right.
  const policy = await readPolicy(db);
  requireAllowedNetwork(policy, call.request.ip);
  const { user, takeOver, method, attempt } = await prove(parts, call, db);
  const { password, remember_me: isRemembered } = call.body;
  const isOurs = method === "password" && canSignIn(user);
  const isOutdated = isOurs && passwords.isOutdated(user.password_hash);
  const renewed = isOutdated ? { passwordHash: await passwords.hash(password, call.signal) } : {};
  // A role given since requires a stronger password: until it is changed, this one is not a fresh proof.
  const isTooWeak = isOurs && user.role !== "user" && passwordProblem(policy, { ...user, password }) !== null;
  const proof = isTooWeak ? { provedAt: null } : {};
  return openSession(parts, call, { user, takeOver, method, isRemembered, attempt, ...renewed, ...proof });
}

/**
 * Who it is, proved by their password here or in a directory. INVARIANT: for an address that nobody has, the same look-ups,
 * the same counting and the same hashing are done as for one that somebody has, and the answer is the same.
 */
async function prove(
  { kernel, passwords, elsewhere }: SignInParts,
  call: LoginCall,
  db: Db,
): Promise<ProvedElsewhere & { method: "password" | "ldap"; attempt: Attempt }> {
  const name = typedName(call.body.email);
  const email = addressOf(call.body.email);
  const user = await findUserByEmail(db, email);
  if (user !== undefined) call.note({ target: { type: "user", id: user.id, name: user.email } });

  const claim = { email: email || (name ?? ""), userId: user?.id ?? null, network: clientKey(call.request.ip) };
  const attempt = await admitAttempt(kernel, claim);
  const stored = user?.password_hash || null;
  const isRight = await passwords.verify(stored, call.body.password, call.signal).catch(async (error: unknown) => {
    // Nothing was compared: being turned away at the door is no failed attempt.
    await withdrawAttempt(kernel, attempt);
    throw error;
  });
  if (user !== undefined && isRight) return { user, method: "password", attempt };
  const { password } = call.body;
  const wish = name === null ? null : { name, password, user, network: claim.network, signal: call.signal };
  const proved = wish === null ? null : await elsewhere.current.proveByDirectory(wish);
  if (proved === null) throw refused();
  return { ...proved, method: "ldap", attempt };
}

/** What cannot be anybody's address is looked up as the empty text, which is nobody's either. */
export const addressOf = (typed: string): string => Email.safeParse(typed).data ?? "";
