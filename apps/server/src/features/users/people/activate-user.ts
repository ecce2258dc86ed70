// Activation: users who sign up can reach only their profile and their vault until an administrator activates them.
import type { User, UserId, activateUser as activateEndpoint, activateUsers } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Events } from "#kernel/events/events.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { UserNotices } from "../user-notices.ts";
import { requireAnotherPerson, requirePersonFor } from "../users.policy.ts";
import { clearRoleRequest, findPending, isAnyonePending, lockActiveAdmins, setStatus } from "../users.store.ts";
import { decideAbout, giveRole, presentOne } from "../users.ts";
import type { UsersDeps } from "../users.ts";

/** Called in the transaction that activates an account. */
export type ActivatedListener = (tx: Tx, userId: UserId) => Promise<void>;

export interface ActivationDeps extends UsersDeps {
  events: Events;
  notices: UserNotices;
  activated: ActivatedListener;
}

/** Throws 409 for an account that is not pending, and for a decision about a role that was not requested. */
export async function activate(deps: ActivationDeps, call: Call<typeof activateEndpoint>, tx: Tx): Promise<User> {
  const { person } = await decideAbout(call, tx);
  if (person.status !== "pending") throw refuse(409, "user.not-pending", "This account is not waiting for activation.");
  requireAnotherPerson(call.actor.id, person.id);
  const { role_request: decision } = call.body;
  const wanted = person.requested_role;
  requirePersonFor(call.actor, person, decision === "approve" && wanted !== null ? wanted : "user");
  if (decision !== undefined && wanted === null) {
    throw refuse(409, "user.no-role-request", "This user has no open role request.");
  }
  call.note({ details: decision === undefined ? {} : { decision, requested: wanted } });
  await setStatus(tx, person.id, "active");
  if (decision === "deny") await clearRoleRequest(tx, person.id);
  if (decision === "approve" && wanted !== null) {
    await giveRole(deps, tx, { person, role: wanted, by: call.actor });
  }
  await settle(deps, tx, [person.id], call.actor.name);
  return presentOne(tx, person.id, deps.signIn);
}

/** Audits each activation separately, as `activate` does. */
export async function activateSeveral(
  deps: ActivationDeps,
  call: Call<typeof activateUsers>,
  tx: Tx,
): Promise<{ activated: UserId[] }> {
  await lockActiveAdmins(tx);
  const people = await findPending(tx, call.body.user_ids);
  const at = deps.clock.now();
  for (const { id, email } of people) {
    await setStatus(tx, id, "active");
    const note = { target: { type: "user", id, name: email } };
    await appendAudit(tx, [callEntry("user.activated", call.actor, call.request, note, at)]);
  }
  const activated = people.map(({ id }) => id);
  await settle(deps, tx, activated, call.actor.name);
  call.note({ details: { users: activated } });
  return { activated };
}

async function settle(
  { events, notices, activated }: ActivationDeps,
  tx: Tx,
  userIds: readonly UserId[],
  by: string,
): Promise<void> {
  for (const userId of userIds) {
    await activated(tx, userId);
    await notices.activated(tx, userId, by);
    // Restarts the user's event stream, so that it carries all events that they may now see.
    await events.publish(tx, { type: "user.changed", audience: { users: [userId] }, data: {} });
  }
  if (userIds.length > 0 && !(await isAnyonePending(tx))) await notices.noneWaiting(tx);
}
