// Lists, extends and ends a user's own sessions.
import type {
  Message,
  SessionLimits,
  UserSession,
  currentSession,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  logout,
  reportActivity,
} from "@strongroom/contract";
import { endedMessage, lockUser, readPolicy } from "#features/users/index.ts";
import { sessionOf } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { deleteSession, findSessions, findSessionsOf, touchSessions } from "./sessions.store.ts";
import type { LiveSession } from "./sessions.store.ts";
import { announceEnds, endSessions } from "./sessions.ts";
import type { ProofContext, SignInContext } from "../context.ts";
import { ACTIVITY_WRITE_INTERVAL, endOf, idleLimit, stateOf } from "../sign-in.policy.ts";
import { noStreamCookie } from "./stream-cookie.ts";

export async function describeSession({ actor }: Call<typeof currentSession>, db: Db) {
  const [session] = await findSessions(db, [sessionOf(actor)]);
  if (session === undefined) throw refuse(401, "session.ended", "Your session has ended. Please log in again.");
  return {
    user: { id: actor.id, email: actor.email, name: actor.name, role: actor.role },
    session_id: session.id,
    expires_at: endOf(session, session).toISOString(),
    is_pending: actor.isPending,
    limits: limitsOf(session),
  };
}

const limitsOf = (session: LiveSession): SessionLimits => ({
  timeout_minutes: session.timeout_minutes,
  warning_minutes: session.warning_minutes,
  privileged_timeout_minutes: session.privileged_timeout_minutes,
});

/**
 * Extends the session. This counts as activity even in a background call, because the page calls it when the user is
 * active.
 */
export async function keepAlive(kernel: Kernel, { actor }: Call<typeof reportActivity>, db: Db) {
  const now = kernel.clock.now();
  await touchSessions(db, [sessionOf(actor)], now, new Date(now.getTime() - ACTIVITY_WRITE_INTERVAL));
  const limit = idleLimit(actor.role, await readPolicy(db));
  return { idle_until: new Date(now.getTime() + limit).toISOString() };
}

export async function listSessions(
  kernel: Kernel,
  { actor }: Call<typeof listOwnSessions>,
  db: Db,
): Promise<{ data: UserSession[] }> {
  const now = kernel.clock.now();
  const sessions = await findSessionsOf(db, actor.id);
  const open = sessions.filter((session) => stateOf(session, session, now) === "open");
  return {
    data: open.map((session) => ({
      id: session.id,
      created_at: session.created_at.toISOString(),
      last_active_at: session.last_active_at.toISOString(),
      expires_at: endOf(session, session).toISOString(),
      ip: session.ip,
      agent: session.agent,
      is_current: session.id === actor.sessionId,
    })),
  };
}

export async function endOne(
  { kernel, externalProviders }: SignInContext,
  call: Call<typeof endOwnSession>,
  tx: Tx,
): Promise<{ message: string }> {
  const gone = await deleteSession(tx, call.actor.id, call.params.id);
  if (gone === undefined) throw refuse(404, "session.not-found", "Session not found");
  await externalProviders.current.noteSignOut(tx, call.actor.id);
  call.note({ target: { type: "session", id: gone.id } });
  await announceEnds(kernel, tx, [gone]);
  return { message: "The session has been ended." };
}

/** Ends API tokens too, because a user who ends all other sessions wants everyone else locked out. */
export async function endOthers(
  { kernel, externalProviders, endTokens }: SignInContext,
  call: Call<typeof endOtherSessions>,
  tx: Tx,
): Promise<Message> {
  const { actor } = call;
  // Lock the user, so that no token is created in the meantime.
  await lockUser(tx, actor.id);
  const sessions = await endSessions(kernel, tx, actor.id, sessionOf(actor));
  const tokens = await endTokens.current(tx, actor.id, "sessions-ended");
  await externalProviders.current.noteSignOut(tx, actor.id);
  call.note({ target: { type: "user", id: actor.id, name: actor.email }, details: { sessions, tokens } });
  return { message: endedMessage(sessions, tokens) };
}

/**
 * INVARIANT: after sign-out, a provider whose own session is still open in this browser does not open a new session
 * here without asking the user.
 */
export async function signOut({ kernel, externalProviders }: ProofContext, call: Call<typeof logout>, tx: Tx) {
  const { actor } = call;
  const gone = await deleteSession(tx, actor.id, sessionOf(actor));
  call.note({ target: { type: "session", id: sessionOf(actor) } });
  call.setHeader("set-cookie", noStreamCookie(kernel));
  await announceEnds(kernel, tx, gone === undefined ? [] : [gone]);
  await externalProviders.current.noteSignOut(tx, actor.id);
  const provider = gone?.method === "oidc" ? await externalProviders.current.openidProviderOf(tx, actor.id) : null;
  return { message: "Signed out successfully", provider };
}
