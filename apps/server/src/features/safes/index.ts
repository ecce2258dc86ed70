// Safes: containers of shared accounts, with members and their permissions.
import type { HistoryOfTarget } from "#features/audit/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Tx } from "#kernel/db/database.ts";
import type {
  Message,
  Safe,
  SafeMember,
  addSafeMember,
  removeSafeMember,
  updateSafe,
  updateSafeMember,
} from "@strongroom/contract";
import type { Call, CallInput } from "#kernel/http/call.ts";
import { addMember, changeMember, removeMember, removeReviewed } from "./members/change-members.ts";
import { changeSafe } from "./crud/change-safe.ts";
import type { ClosedListener } from "./crud/change-safe.ts";
import type { AccountMover } from "./crud/delete-safe.ts";
import type { LostMembersListener } from "./members/lost-members.ts";
import { rolePermissions } from "./safes.policy.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { countOwned, deleteMemberships, safesOfMember } from "./members/members.store.ts";
import { audienceOfSafe, changed } from "./safes.ts";
import { lockSafes } from "./safes.store.ts";
import { bindSafes } from "./safes.routes.ts";

export interface SafesFeature {
  /** Calls `listener` in the same transaction when users stop being members of a safe. */
  onMembersLost(listener: LostMembersListener): void;
  /** Calls `listener` in the same transaction when an active safe becomes inactive or archived. */
  onClosed(listener: ClosedListener): void;
  /** Registers the function that moves the accounts of a deleted safe. Call it once. */
  beforeDeletion(mover: AccountMover): void;
  /** For the groups feature, which also ends memberships. */
  readonly membersLost: LostMembersListener;
  /** Removes a deleted user from all safes. Throws 409 for the owner of a safe. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** The use case of the `updateSafe` endpoint with all its checks, for use in another feature's transaction. */
  change(act: CallInput<typeof updateSafe> & Pick<Call, "requireStepUp">, tx: Tx): Promise<Safe>;
  /** The use cases of the member endpoints with all their checks, for use in another feature's transaction. */
  readonly members: {
    add(act: CallInput<typeof addSafeMember>, tx: Tx): Promise<SafeMember>;
    change(act: CallInput<typeof updateSafeMember>, tx: Tx): Promise<SafeMember>;
    remove(act: CallInput<typeof removeSafeMember>, tx: Tx): Promise<Message>;
    /**
     * Removes a member for a reviewer whom an administrator appointed. The reviewer needs no permission to manage the
     * members.
     */
    removeReviewed(act: CallInput<typeof removeSafeMember>, tx: Tx): Promise<Message>;
  };
}

export function installSafes(kernel: Kernel, deps: { historyOfTarget: HistoryOfTarget }): SafesFeature {
  const listeners: LostMembersListener[] = [];
  const movers: AccountMover[] = [];
  const whenClosed: ClosedListener[] = [];
  const membersLost: LostMembersListener = async (tx, lost, by) => {
    for (const listener of listeners) await listener(tx, lost, by);
  };
  kernel.authority.grant(rolePermissions);
  const move: AccountMover = async (...moved) => {
    for (const mover of movers) await mover(...moved);
  };
  const onClosed: ClosedListener = async (...closed) => {
    for (const listener of whenClosed) await listener(...closed);
  };
  bindSafes(kernel, { ...deps, onLost: membersLost, onClosed, move });
  return {
    onMembersLost: (listener) => void listeners.push(listener),
    onClosed: (listener) => void whenClosed.push(listener),
    beforeDeletion: (mover) => void movers.push(mover),
    membersLost,
    change: (act, tx) => changeSafe(kernel, act, tx, onClosed),
    members: {
      add: (act, tx) => addMember({ kernel, onLost: membersLost }, act, tx),
      change: (act, tx) => changeMember({ kernel, onLost: membersLost }, act, tx),
      remove: (act, tx) => removeMember({ kernel, onLost: membersLost }, act, tx),
      removeReviewed: (act, tx) => removeReviewed({ kernel, onLost: membersLost }, act, tx),
    },
    forgetPerson: (tx, userId) => removePersonFromSafes(kernel, tx, userId),
  };
}

export { searchableSafes } from "./crud/find-safes.ts";
export { requireConfirmedPeople } from "./members/confirm-people.ts";
export { explainAccess } from "./access/explain-access.ts";
export { announceLostMembers } from "./members/lost-members.ts";
export type { LostMembersListener } from "./members/lost-members.ts";
export type { AccountMover } from "./crud/delete-safe.ts";
export { approversOf } from "./members/approvers.ts";
export type { Approvers } from "./members/approvers.ts";
export { membersWho } from "./members/find-members.ts";
export { audienceOfSafe, changed as safeChanged } from "./safes.ts";
export {
  allows,
  bitOf,
  bitsOf,
  permissionGrantsFor,
  memberships,
  nameFor,
  namesOf,
  limitToTokenSafes,
  seesEverySafe,
  effectivePermissionsOf,
  whileStatus,
} from "./safes.policy.ts";
export type { Permissions, SafePermissions, PrincipalRef } from "./safes.policy.ts";
export { lockSafes } from "./safes.store.ts";
export {
  requireEffectivePermission,
  lockSafe,
  notFound as safeNotFound,
  readEffectivePermissions,
  requirePermission,
} from "./effective-permissions.ts";
export type { EffectivePermissions } from "./effective-permissions.ts";

/** Throws 409 for the owner of a safe, so that no shared safe is lost with a user. */
async function removePersonFromSafes(kernel: Kernel, tx: Tx, userId: string): Promise<void> {
  const ids = await safesOfMember(tx, userId);
  await lockSafes(tx, ids, "no key update");
  const owned = await countOwned(tx, userId);
  if (owned > 0) {
    const safes = owned === 1 ? "a safe" : `${owned} safes`;
    throw refuse(409, "user.owns-safes", `This user owns ${safes}. Choose another owner first.`);
  }
  await deleteMemberships(tx, userId);
  for (const id of ids) await kernel.events.publish(tx, changed(id, await audienceOfSafe(tx, id)));
}
