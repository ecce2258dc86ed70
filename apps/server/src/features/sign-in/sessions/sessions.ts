// Authenticates calls by their session and ends sessions.
import type { Role, SessionId } from "@strongroom/contract";
import { createHash, randomBytes } from "node:crypto";
import { canSignIn, requireAllowedNetwork } from "#features/users/index.ts";
import { closureOf } from "#features/vault-closure/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { gather } from "#kernel/gather.ts";
import type { Authenticator } from "#kernel/http/authenticate.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { deletePendingOf } from "../second-step/pending.store.ts";
import {
  deleteAllSessions,
  deleteSessionsOf,
  deleteSessionsWithoutFactor,
  findSessionByStream,
  findSessions,
  markProved,
  touchSessions,
} from "./sessions.store.ts";
import type { EndedSession, LiveSession } from "./sessions.store.ts";
import { ACTIVITY_WRITE_INTERVAL, isTouchDue, provedUntil, stateOf } from "../sign-in.policy.ts";
import type { Tokens } from "./tokens.ts";

const MOST_AT_ONCE = 128;

/**
 * Authenticates calls. A token is valid while its signature and expiry are valid and its session is open. The session row is read
 * at every call, so that ending a session takes effect immediately on every process.
 */
export function createAuthenticator(kernel: Pick<Kernel, "database" | "clock">, tokens: Tokens): Authenticator {
  const { db } = kernel.database;
  const find = gather(MOST_AT_ONCE, (ids: readonly string[]) => findSessions(db, ids));
  const touch = gather(MOST_AT_ONCE, async (ids: readonly string[]) => {
    const now = kernel.clock.now();
    await touchSessions(db, ids, now, new Date(now.getTime() - ACTIVITY_WRITE_INTERVAL));
    return ids;
  });

  async function byToken(token: string, isBackground: boolean, ip: string): Promise<Actor> {
    const payload = await tokens.check(token);
    if (payload === null) throw refuse(401, "session.invalid", "Authentication expired. Please log in again.");
    const session = await find(payload.sid);
    if (session?.user_id !== payload.id) throw ended();
    requireOpen(session, kernel.clock.now());
    requireAllowedNetwork(session, ip);
    if (!isBackground && isTouchDue(session.last_active_at, kernel.clock.now())) await touch(session.id);
    return actorOf(session, kernel.clock.now());
  }

  async function byStreamCookie(cookie: string, ip: string): Promise<Actor> {
    const session = await findSessionByStream(db, streamHash(cookie));
    if (session === undefined) throw ended();
    requireOpen(session, kernel.clock.now());
    requireAllowedNetwork(session, ip);
    return actorOf(session, kernel.clock.now());
  }

  return async ({ bearer, streamCookie, isBackground, ip }) => {
    if (bearer !== null) return byToken(bearer, isBackground, ip);
    return streamCookie === null ? null : byStreamCookie(streamCookie, ip);
  };
}

/** Throws 401 with a code for the reason. */
function requireOpen(session: LiveSession, now: Date): void {
  if (!canSignIn(session)) throw ended();
  const state = stateOf(session, session, now);
  if (state === "idle") {
    throw refuse(401, "session.idle", "Session expired due to inactivity. Please log in again.");
  }
  if (state === "expired") throw refuse(401, "session.expired", "Authentication expired. Please log in again.");
}

const ended = () => refuse(401, "session.ended", "Your session has ended. Please log in again.");

const actorOf = (session: LiveSession, now: Date): Actor => ({
  id: session.user_id,
  email: session.email,
  name: session.name,
  role: session.role,
  isPending: session.status === "pending",
  sessionId: session.id,
  provedUntil: provedUntil(session.proved_at, session),
  closure: closureOf(session.vault_closed_at, session.vault_opens_at, now),
  token: null,
});

/**
 * Records that the user of an open session proved their identity at this time. Returns when the proof will expire, or
 * null when the session belongs to another user. Throws 401 when the session has ended.
 */
export async function proveSession(
  { clock }: Pick<Kernel, "clock">,
  tx: Tx,
  wanted: { id: SessionId; userId: string; at: Date },
): Promise<Date | null> {
  const [session] = await findSessions(tx, [wanted.id]);
  if (session === undefined) throw ended();
  if (session.user_id !== wanted.userId) return null;
  requireOpen(session, clock.now());
  await markProved(tx, session.id, wanted.at);
  return provedUntil(wanted.at, session);
}

/**
 * A secret for the cookie that authenticates only event streams and WebSockets. It is not a token and permits nothing
 * else.
 */
export const newStreamSecret = (): string => randomBytes(32).toString("base64url");

export const streamHash = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** Ends a user's sessions when the transaction commits, except the given one. Returns how many sessions ended. */
export async function endSessions(
  kernel: Pick<Kernel, "events">,
  tx: Tx,
  userId: string,
  exceptId?: SessionId,
): Promise<number> {
  const gone = await deleteSessionsOf(tx, userId, exceptId);
  // Also end sign-ins that wait for their second step, because they began before the user was changed.
  await deletePendingOf(tx, userId);
  await announceEnds(kernel, tx, gone);
  // Event streams opened with API tokens have no session. This event makes them check their permissions again.
  await kernel.events.publish(tx, { type: "user.changed", audience: { users: [userId] }, data: {} });
  return gone.length;
}

/**
 * For a restored database: ends all sessions and pending sign-ins, and deletes links for setting a password. Otherwise,
 * links that were used after the backup would work again.
 */
export async function endEverything(
  kernel: Pick<Kernel, "events">,
  tx: Tx,
): Promise<{ sessions: number; sign_ins: number; links: number }> {
  const gone = await deleteAllSessions(tx);
  await announceEnds(kernel, tx, gone);
  const pending = await tx.deleteFrom("sign_in_pending").executeTakeFirst();
  const links = await tx.deleteFrom("sign_in_resets").executeTakeFirst();
  await tx.deleteFrom("sign_in_setup").execute();
  return { sessions: gone.length, sign_ins: Number(pending.numDeletedRows), links: Number(links.numDeletedRows) };
}

/**
 * Implements `SignInOfUsers.endSessionsWithoutFactor`. Sign-ins that wait for their second step continue, because the user sets
 * up a factor there.
 */
export async function endSessionsWithoutFactor(
  kernel: Pick<Kernel, "events">,
  tx: Tx,
  roles: readonly Role[],
): Promise<number> {
  const gone = await deleteSessionsWithoutFactor(tx, roles);
  await announceEnds(kernel, tx, gone);
  return gone.length;
}

/** Notifies the user's other tabs and windows, on any process. */
export async function announceEnds(
  { events }: Pick<Kernel, "events">,
  tx: Tx,
  gone: readonly EndedSession[],
): Promise<void> {
  if (gone.length === 0) return;
  const ends = gone.map(({ id, user_id }) => ({
    type: "session.ended",
    audience: { users: [user_id] },
    data: { session_id: id },
  }));
  await events.publish(tx, ...ends);
}
