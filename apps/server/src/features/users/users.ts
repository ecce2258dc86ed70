// Lists users, changes roles and status, decides on role requests, ends sessions and changes the sign-in policy.
import type {
  Role,
  SignInPolicy,
  User,
  UserId,
  changeUserRole,
  decideRoleRequest,
  endUserSessions,
  issueResetLink,
  listUsers,
  setUserStatus,
  updateSignInPolicy,
} from "@strongroom/contract";
import type { Notify } from "#features/notifications/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Clock } from "#kernel/clock.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { readPlace, pageInOrder } from "#kernel/db/list-order.ts";
import type { CallInput } from "#kernel/http/call.ts";
import type { Events } from "#kernel/events/events.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { SignInOfUsers } from "./sign-in-of-users.ts";
import { orderOf } from "./user-order.ts";
import { rulesChanged } from "./policy/rules-changed.ts";
import { newlyAsked, requireOwnNetwork } from "./policy/sign-in-rules.ts";
import { lockPolicy, writePolicy } from "./policy/sign-in-policy.store.ts";
import { notifyOfEndedSessions, notifyOfResetLink, notifyOfRole } from "./notify-person.ts";
import {
  canSignIn,
  requireAnotherAdmin,
  requireAnotherPerson,
  requireOneAdmin,
  requirePersonFor,
} from "./users.policy.ts";
import { clearRoleRequest, findUser, listPage, lockActiveAdmins, lockUser, setRole, setStatus } from "./users.store.ts";
import type { Person } from "./users.store.ts";

export interface UsersDeps {
  clock: Clock;
  signIn: SignInOfUsers;
  notify: Notify;
}

/** Called in the transaction that disables a user. The row of the user is locked. */
export type DisabledListener = (tx: Tx, userId: UserId, by: Actor) => Promise<void>;

type Listing = { data: User[]; next_cursor: string | null };

export async function list(call: Call<typeof listUsers>, db: Db, signIn: SignInOfUsers): Promise<Listing> {
  const { limit, cursor, search } = call.query;
  const withRoleRequest = call.query.has_role_request === true;
  const { role = null, status = null, sort } = call.query;
  const after = cursor === undefined ? null : readPlace(orderOf(sort), cursor);
  const query = { sort, after, search: search?.trim() || null, role, status, withRoleRequest };
  const people = await listPage(db, { limit: limit + 1, ...query });
  const { shown, next_cursor } = pageInOrder(people, limit);
  return { data: await present(db, shown, signIn), next_cursor };
}

export async function changeRole(deps: UsersDeps, call: CallInput<typeof changeUserRole>, tx: Tx): Promise<User> {
  const { person, admins } = await decideAbout(call, tx);
  const { role } = call.body;
  requirePersonFor(call.actor, person, role);
  requireActivated(person);
  if (role !== "admin") requireAnotherAdmin(person.id, admins);
  requireAnotherPerson(call.actor.id, person.id);
  call.note({ details: { from: person.role, to: role } });
  await giveRole(deps, tx, { person, role, by: call.actor });
  return presentOne(tx, person.id, deps.signIn);
}

export async function changeStatus(
  call: CallInput<typeof setUserStatus>,
  tx: Tx,
  signIn: SignInOfUsers,
  onDisabled: DisabledListener,
): Promise<User> {
  const { person, admins } = await decideAbout(call, tx);
  const { status } = call.body;
  requirePersonFor(call.actor, person);
  // INVARIANT: only activation enables an account that was never activated.
  if (person.status === "pending") throw status === "active" ? awaitingActivation() : notActivatedYet();
  if (status === "disabled") requireAnotherAdmin(person.id, admins);
  requireAnotherPerson(call.actor.id, person.id);
  call.note({ details: { from: person.status, to: status } });
  await setStatus(tx, person.id, status);
  if (status === "disabled") {
    await signIn.endSessions(tx, person.id);
    await onDisabled(tx, person.id, call.actor);
  }
  return presentOne(tx, person.id, signIn);
}

/** Throws 409 for a pending account, which gets permissions only by activation. */
function requireActivated({ status }: Person): void {
  if (status === "pending") throw awaitingActivation();
}

const awaitingActivation = () =>
  refuse(409, "user.awaiting-activation", "This account is waiting for activation. Activate it first.");

const notActivatedYet = () =>
  refuse(
    409,
    "user.awaiting-activation",
    "This account is waiting for activation, so there is nothing to disable. Delete it if it is not needed.",
  );

/**
 * Ends the user's sessions, because their tokens carry the role. Notifies the user, and notifies administrators of a new
 * administrator.
 */
export async function giveRole(
  { clock, signIn, notify }: UsersDeps,
  tx: Tx,
  { person, role, by }: { person: Person; role: Role; by: Actor },
): Promise<void> {
  await setRole(tx, person.id, role, clock.now());
  if (role === person.role) return;
  await signIn.endSessions(tx, person.id);
  // INVARIANT: a link created for a user who was not an administrator does not open an administrator's account.
  if (role === "admin") await signIn.forgetReset(tx, person.id);
  await notifyOfRole(notify, tx, { person, role, by: by.name });
}

export async function decideRole(deps: UsersDeps, call: Call<typeof decideRoleRequest>, tx: Tx): Promise<User> {
  const { person, admins } = await decideAbout(call, tx);
  const { decision } = call.body;
  const wanted = person.requested_role;
  if (wanted === null) throw refuse(409, "user.no-role-request", "This user has no open role request.");
  requirePersonFor(call.actor, person, decision === "approve" ? wanted : person.role);
  requireAnotherPerson(call.actor.id, person.id);
  call.note({ details: { decision, requested: wanted } });
  if (decision === "deny") {
    await clearRoleRequest(tx, person.id);
    return presentOne(tx, person.id, deps.signIn);
  }
  requireActivated(person);
  if (wanted !== "admin") requireAnotherAdmin(person.id, admins);
  await giveRole(deps, tx, { person, role: wanted, by: call.actor });
  return presentOne(tx, person.id, deps.signIn);
}

/** Revokes API tokens too, because the person being locked out may have one. */
export async function endAllSessions(
  { signIn, notify }: UsersDeps,
  call: Call<typeof endUserSessions>,
  tx: Tx,
): Promise<{ message: string }> {
  const person = await named(call, tx);
  requirePersonFor(call.actor, person);
  const sessions = await signIn.endSessions(tx, person.id);
  const tokens = await signIn.endTokens(tx, person.id, "sessions-ended");
  call.note({ details: { sessions, tokens } });
  await notifyOfEndedSessions(notify, tx, { person, by: call.actor.name });
  return { message: endedMessage(sessions, tokens) };
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** For example: "2 sessions and 1 API token ended." */
export function endedMessage(sessions: number, tokens: number): string {
  const ended = counted(sessions, "session");
  return tokens === 0 ? `${ended} ended.` : `${ended} and ${counted(tokens, "API token")} ended.`;
}

export async function issueLink(
  { clock, signIn, notify }: UsersDeps,
  call: Call<typeof issueResetLink>,
  tx: Tx,
): Promise<{ link: string; expires_at: string }> {
  const person = await named(call, tx);
  if (person.kind === "machine") throw refuse(409, "user.machine", "A machine identity has no password to reset.");
  if (!canSignIn(person)) throw refuse(409, "user.disabled", "This user is disabled. Enable the user first.");
  requireOneAdmin(person, await signIn.isVaultHeld(tx, person.id), clock.now());
  const { link, expiresAt } = await signIn.issueResetLink(tx, person.id, call.actor.name);
  await notifyOfResetLink(notify, tx, { person, by: call.actor.name });
  return { link, expires_at: expiresAt.toISOString() };
}

/**
 * Throws 409 when the new networks exclude the caller, because the caller could not undo the change. INVARIANT: users who now need a
 * second factor but have none are signed out in the same transaction, including the caller.
 */
export async function changePolicy(
  { events, signIn }: { events: Events; signIn: SignInOfUsers },
  call: Call<typeof updateSignInPolicy>,
  tx: Tx,
): Promise<SignInPolicy> {
  const policy = call.body;
  requireOwnNetwork(policy, call.request.ip);
  const before = await lockPolicy(tx);
  await writePolicy(tx, policy);
  const asked = newlyAsked(before, policy);
  const ended = asked.length === 0 ? 0 : await signIn.endSessionsWithoutFactor(tx, asked);
  const isOtherNetworks = before.allowed_networks.join() !== policy.allowed_networks.join();
  if (isOtherNetworks || asked.length > 0) await events.publish(tx, rulesChanged);
  const details = { from: { ...before }, to: { ...policy }, ...(asked.length === 0 ? {} : { sessions_ended: ended }) };
  call.note({ target: { type: "policy", id: "sign-in" }, details });
  return policy;
}

interface AboutUser {
  params: { id: string };
  note: Call["note"];
}

/**
 * Locks the administrators first and then the user, always in this order, to avoid deadlocks. Throws 403 for a caller who was
 * disabled or lost the role while waiting for the lock.
 */
export async function decideAbout(
  call: AboutUser & { actor: Pick<Actor, "id" | "role"> },
  tx: Tx,
): Promise<{ person: Person; admins: readonly string[] }> {
  const admins = await lockActiveAdmins(tx);
  const caller = await findUser(tx, call.actor.id);
  if (caller?.status !== "active" || caller.role !== call.actor.role) {
    throw refuse(403, "role.insufficient", "Your role does not allow this.");
  }
  return { person: await named(call, tx), admins };
}

/** Locks and returns the user that a call is about, and names them in the call's audit entry. Throws 404 for an unknown user. */
export async function named(call: AboutUser, tx: Tx): Promise<Person> {
  const person = await lockUser(tx, call.params.id);
  if (person === undefined) throw refuse(404, "user.not-found", "User not found");
  call.note({ target: { type: "user", id: person.id, name: person.email } });
  return person;
}

export async function presentOne(db: Db, userId: string, signIn: SignInOfUsers): Promise<User> {
  const person = await findUser(db, userId);
  const [user] = await present(db, person === undefined ? [] : [person], signIn);
  if (user === undefined) throw new Error(`the user ${userId} vanished within a transaction`);
  return user;
}

async function present(db: Db, people: readonly Person[], signIn: SignInOfUsers): Promise<User[]> {
  const ids = people.map((person) => person.id);
  const open = await signIn.countOpenSessions(db, ids);
  const providers = await signIn.providersOf(db, ids);
  const waiting = await signIn.slowedDown(db, people);
  return people.map((person) => ({
    ...person,
    created_at: person.created_at.toISOString(),
    last_signed_in_at: person.last_signed_in_at?.toISOString() ?? null,
    invited_at: person.invited_at?.toISOString() ?? null,
    slowed_down_until: waiting.get(person.id)?.toISOString() ?? null,
    open_sessions: open.get(person.id) ?? 0,
    signs_in_through: providers.get(person.id) ?? null,
  }));
}
