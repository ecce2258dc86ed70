// Announces to other features that users are no longer members of a safe, so that their grants there end.
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { stillMembers } from "./members.store.ts";

export interface LostMembers {
  safeId: string;
  /** None of them has an unexpired membership left, direct or through a group. */
  userIds: readonly string[];
}

/** Called in the transaction that deletes the memberships. */
export type LostMembersListener = (tx: Tx, lost: LostMembers, by: Actor) => Promise<void>;

/** Call it after the memberships are deleted; leaves out users who are still members in another way. */
export async function announceLostMembers(
  tx: Tx,
  safeId: string,
  people: readonly string[],
  by: Actor,
  onLost: LostMembersListener,
): Promise<void> {
  const still = new Set(await stillMembers(tx, safeId, people));
  const userIds = people.filter((id) => !still.has(id));
  if (userIds.length > 0) await onLost(tx, { safeId, userIds }, by);
}
