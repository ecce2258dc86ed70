// Shows a user's own profile and changes their name.
import type { OwnProfile, readOwnProfile, renameOneself } from "@strongroom/contract";
import { findPasswordHash, findUser, renameUser } from "#features/users/index.ts";
import { sessionOf } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call, SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { findSessions } from "./sessions/sessions.store.ts";
import type { LiveSession } from "./sessions/sessions.store.ts";
import type { SignInContext } from "./context.ts";
import { payloadOf } from "./sessions/start-session.ts";

export async function readProfile({ actor }: Call<typeof readOwnProfile>, db: Db): Promise<OwnProfile> {
  const [session, person] = [await thisSession(db, actor), await findUser(db, actor.id)];
  if (person === undefined) throw ended();
  const { id, email, name, role } = actor;
  return {
    id,
    email,
    name,
    role,
    created_at: person.created_at.toISOString(),
    signed_in_by: session.method,
    has_password: (await findPasswordHash(db, id)) !== "",
  };
}

/** Changes the user's name and returns a new token, which belongs to the same session and ends with it. */
export async function rename(
  { tokens }: SignInContext,
  call: SteppedCall<typeof renameOneself>,
  db: Db,
): Promise<{ token: string }> {
  const { actor, body } = call;
  const session = await thisSession(db, actor);
  const user = { id: actor.id, email: actor.email, role: actor.role, name: body.name };
  const token = await tokens.issue(payloadOf(user, session));
  call.note({
    target: { type: "user", id: actor.id, name: actor.email },
    details: { from: actor.name, to: body.name },
  });
  await call.commit((tx) => renameUser(tx, actor.id, body.name));
  return { token };
}

async function thisSession(db: Db, actor: Parameters<typeof sessionOf>[0]): Promise<LiveSession> {
  const [session] = await findSessions(db, [sessionOf(actor)]);
  if (session === undefined) throw ended();
  return session;
}

const ended = () => refuse(401, "session.ended", "Your session has ended. Please log in again.");
