// Safes: where shared accounts live, and who may do what with them there.
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
import type { Act } from "#kernel/http/act.ts";
import type { Call } from "#kernel/http/call.ts";
import { addMember, changeMember, removeMember, removeReviewed } from "./change-members.ts";
import { forgetPerson } from "./forget-person.ts";
import { changeSafe } from "./change-safe.ts";
import type { ClosedListener } from "./change-safe.ts";
import type { AccountMover } from "./delete-safe.ts";
import type { MembersLostListener } from "./members-lost.ts";
import { grants } from "./safes.policy.ts";
import { bindSafes } from "./safes.routes.ts";

export interface SafesFeature {
  /** Calls `listener`, in the transaction that makes it true, when people stop being members of a safe. */
  onMembersLost(listener: MembersLostListener): void;
  /** Calls `listener`, in the transaction that makes it true, when an active safe is made inactive or archived. */
  onClosed(listener: ClosedListener): void;
  /** Who moves the accounts of a safe that is deleted. Once. */
  beforeDeletion(mover: AccountMover): void;
  /** For other features that take memberships away: groups. */
  readonly membersLost: MembersLostListener;
  /** For a person who is deleted. Throws 409 for the owner of a safe. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** The call's own use case, with all that it asks of the caller, in the transaction of another feature. */
  change(act: Act<typeof updateSafe> & Pick<Call, "requireStepUp">, tx: Tx): Promise<Safe>;
  /** The calls' own use cases, likewise. */
  readonly members: {
    add(act: Act<typeof addSafeMember>, tx: Tx): Promise<SafeMember>;
    change(act: Act<typeof updateSafeMember>, tx: Tx): Promise<SafeMember>;
    remove(act: Act<typeof removeSafeMember>, tx: Tx): Promise<Message>;
    /** For who was told to decide by an administrator's review, and need not manage the members. */
    removeReviewed(act: Act<typeof removeSafeMember>, tx: Tx): Promise<Message>;
  };
}

export function installSafes(kernel: Kernel, deps: { historyOfTarget: HistoryOfTarget }): SafesFeature {
  const listeners: MembersLostListener[] = [];
  const movers: AccountMover[] = [];
  const whenClosed: ClosedListener[] = [];
  const membersLost: MembersLostListener = async (tx, lost, by) => {
    for (const listener of listeners) await listener(tx, lost, by);
  };
  kernel.authority.grant(grants);
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
    forgetPerson: (tx, userId) => forgetPerson(kernel, tx, userId),
  };
}

export { searchableSafes } from "./search-safes.ts";
export { requireConfirmedPeople } from "./confirm-people.ts";
export { explainAccess } from "./explain-access.ts";
export { loseMembers } from "./members-lost.ts";
export type { MembersLostListener } from "./members-lost.ts";
export type { AccountMover } from "./delete-safe.ts";
export { overseersOf } from "./approvers.ts";
export type { Overseers } from "./approvers.ts";
export { membersWho } from "./find-members.ts";
export { audienceOfSafe, changed as safeChanged } from "./safes.ts";
export {
  allows,
  bitOf,
  bitsOf,
  giftsTo,
  memberships,
  nameFor,
  namesOf,
  onlyIn,
  seesEverySafe,
  standingsOf,
  whileStatus,
} from "./safes.policy.ts";
export type { Permissions, SafeStanding, Someone } from "./safes.policy.ts";
export { lockSafes } from "./safes.store.ts";
export { demand, holdSafe, notFound as safeNotFound, readStanding, requirePermission } from "./standing.ts";
export type { Standing } from "./standing.ts";
