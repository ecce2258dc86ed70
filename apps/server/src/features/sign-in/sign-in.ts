// Signing in: one path, one cost and one answer for every wrong attempt, whoever it names.
import type { TokenPayload, login } from "@strongroom/contract";
import { Email, SessionId } from "@strongroom/contract";
import { findUserByEmail, markSignedIn, readPolicy } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { clientKey } from "#kernel/http/rate-limits.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { insertSession } from "./sessions.store.ts";
import type { SessionsTable } from "./sessions.store.ts";
import { newStreamSecret, streamHash } from "./sessions.ts";
import { longestLife } from "./sign-in.policy.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import { admitAttempt, rewardAttempt, withdrawAttempt } from "./slow-down.ts";
import type { Attempt } from "./slow-down.ts";
import { streamCookie } from "./stream-cookie.ts";

type LoginCall = SteppedCall<typeof login>;

export async function signIn(parts: SignInParts, call: LoginCall, db: Db): Promise<{ token: string }> {
  const { kernel, passwords, tokens } = parts;
  const { user, attempt } = await prove(parts, call, db);
  const { password, remember_me: isRemembered } = call.body;
  const hash = passwords.isOutdated(user.password_hash)
    ? await passwords.hash(password, call.signal)
    : user.password_hash;
  const policy = await readPolicy(db);
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
  };
  const token = await tokens.issue(payloadOf(user, session));
  call.note({ details: { session: session.id, remembered: isRemembered } });
  await call.commit(async (tx) => {
    // The row of the user first: a reset or a role change under way either sees this session or makes it fail.
    if (!(await markSignedIn(tx, user, now, hash))) throw refused();
    await rewardAttempt(tx, attempt, user.id, now);
    await insertSession(tx, session);
  });
  call.setHeader("set-cookie", streamCookie(kernel, secret, session));
  return { token };
}

/**
 * Who it is, proved by the password. INVARIANT: for an address that nobody has, the same look-ups, the same counting and
 * the same hashing are done as for one that somebody has, and the answer is the same.
 */
async function prove(
  { kernel, passwords }: SignInParts,
  call: LoginCall,
  db: Db,
): Promise<{ user: UsersTable; attempt: Attempt }> {
  const email = addressOf(call.body.email);
  const user = await findUserByEmail(db, email);
  if (user !== undefined) call.note({ target: { type: "user", id: user.id, name: user.email } });

  const claim = { email, userId: user?.id ?? null, network: clientKey(call.request.ip) };
  const attempt = await admitAttempt(kernel, claim);
  const stored = user?.password_hash ?? null;
  const isRight = await passwords.verify(stored, call.body.password, call.signal).catch(async (error: unknown) => {
    // Nothing was compared: being turned away at the door is no failed attempt.
    await withdrawAttempt(kernel, attempt);
    throw error;
  });
  if (user === undefined || !isRight) throw refused();
  call.note({ actor: { id: user.id, name: user.name, role: user.role } });
  if (user.status !== "active") {
    throw refuse(403, "account.disabled", "This account is disabled. Please ask an administrator.");
  }
  return { user, attempt };
}

const refused = () => refuse(401, "sign-in.refused", "Invalid credentials");

/** What cannot be anybody's address is looked up as the empty text, which is nobody's either. */
export const addressOf = (typed: string): string => Email.safeParse(typed).data ?? "";

/** AUTH-23. `exp` and `iat` are whole seconds; the token ends with the second in which the session does. */
const payloadOf = (user: UsersTable, session: SessionsTable): TokenPayload => ({
  id: user.id,
  email: user.email,
  role: user.role,
  name: user.name,
  iat: Math.floor(session.created_at.getTime() / 1000),
  exp: Math.floor(session.expires_at.getTime() / 1000),
  sid: session.id,
});
