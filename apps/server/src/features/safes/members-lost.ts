// Tells the rest of the product that people are no longer members of a safe: what was lent to them there ends.
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { stillMembers } from "./members.store.ts";

export interface MembersLost {
  safeId: string;
  /** No membership in force is left to any of them, neither their own nor a group's. */
  userIds: readonly string[];
}

/** Called in the transaction that takes the memberships away. */
export type MembersLostListener = (tx: Tx, lost: MembersLost, by: Actor) => Promise<void>;

/** To be called once the memberships are gone; leaves out who is still a member in another way. */
export async function loseMembers(
  tx: Tx,
  safeId: string,
  people: readonly string[],
  by: Actor,
  onLost: MembersLostListener,
): Promise<void> {
  const still = new Set(await stillMembers(tx, safeId, people));
  const userIds = people.filter((id) => !still.has(id));
  if (userIds.length > 0) await onLost(tx, { safeId, userIds }, by);
}
