// Invites a user: the account exists immediately, but the user can only sign in after using the link.
import type { Invitation, inviteAgain, inviteUser, unlockUser } from "@strongroom/contract";
import { UserId } from "@strongroom/contract";
import type { User } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { SignInOfUsers } from "../sign-in-of-users.ts";
import { notifyOfNewAdmin } from "../notify-person.ts";
import { nameFromEmail, requirePersonFor } from "../users.policy.ts";
import { named, presentOne } from "../users.ts";
import type { UsersDeps } from "../users.ts";
import { insertUser, markInvited } from "../users.store.ts";

export async function invite(
  { clock, signIn, notify }: UsersDeps,
  call: Call<typeof inviteUser>,
  tx: Tx,
): Promise<Invitation> {
  const { email, role, by } = call.body;
  requirePersonFor(call.actor, { role });
  const now = clock.now();
  const id = UserId.parse(newId(now.getTime()));
  const isNew = await insertUser(tx, {
    id,
    email,
    name: call.body.name ?? nameFromEmail(email),
    role,
    requested_role: null,
    status: "active",
    // INVARIANT: no password has this hash, so the user cannot sign in before using the link.
    password_hash: "",
    created_at: now,
    last_signed_in_at: null,
    invited_at: now,
  });
  if (!isNew) throw refuse(409, "account.exists", "A user with this email already exists.");
  call.note({ target: { type: "user", id, name: email }, details: { role, by } });
  if (role === "admin") await notifyOfNewAdmin(notify, tx, { person: { id, name: email }, by: call.actor.name });
  return handOut(id, by, tx, signIn);
}

/** Throws 409 for a user who has already chosen a password and needs a reset link instead. */
export async function inviteOnceMore(
  { clock, signIn }: UsersDeps,
  call: Call<typeof inviteAgain>,
  tx: Tx,
): Promise<Invitation> {
  const person = await named(call, tx);
  requirePersonFor(call.actor, person);
  if (person.invited_at === null) {
    throw refuse(409, "user.not-invited", "This user already has a password. Create a reset link instead.");
  }
  if (person.status !== "active") throw refuse(409, "user.disabled", "This user is disabled. Enable the user first.");
  call.note({ details: { role: person.role, by: call.body.by } });
  await markInvited(tx, person.id, clock.now());
  return handOut(person.id, call.body.by, tx, signIn);
}

async function handOut(id: UserId, by: "mail" | "link", tx: Tx, signIn: SignInOfUsers): Promise<Invitation> {
  const { link, expiresAt } = await signIn.invite(tx, id, by);
  return { user: await presentOne(tx, id, signIn), link, expires_at: expiresAt.toISOString() };
}

export async function unlock(call: Call<typeof unlockUser>, tx: Tx, signIn: SignInOfUsers): Promise<User> {
  const person = await named(call, tx);
  requirePersonFor(call.actor, person);
  await signIn.unlock(tx, person);
  return presentOne(tx, person.id, signIn);
}
