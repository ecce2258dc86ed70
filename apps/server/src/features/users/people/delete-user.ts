// Deletes a user: destroys all data that belongs to the user alone and erases their identity from the row.
import type { Message, deleteUser as deleteEndpoint } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { SignInOfUsers } from "../sign-in-of-users.ts";
import { requireAnotherAdmin, requireAnotherPerson, requirePersonFor } from "../users.policy.ts";
import { decideAbout } from "../users.ts";
import { eraseUser } from "../users.store.ts";

/**
 * Called in the transaction that deletes a user, whose row is locked. Deletes the feature's data about the user. A refusal thrown
 * here keeps the user.
 */
export type DeletedListener = (tx: Tx, userId: string, by: Actor) => Promise<void>;

/** The audit trail keeps the user's actions under the name that the user had at the time. */
export async function deleteUser(
  call: Call<typeof deleteEndpoint>,
  tx: Tx,
  signIn: SignInOfUsers,
  onDeleted: DeletedListener,
): Promise<Message> {
  const { person, admins } = await decideAbout(call, tx);
  requirePersonFor(call.actor, person);
  requireAnotherAdmin(person.id, admins);
  requireAnotherPerson(call.actor.id, person.id);
  await signIn.endSessions(tx, person.id);
  await signIn.forgetPerson(tx, person.id);
  await onDeleted(tx, person.id, call.actor);
  await eraseUser(tx, person.id);
  return { message: `${person.name} was deleted` };
}
