// Binds the endpoints for safes and their members to their use cases.
import {
  addSafeMember,
  createSafe,
  deleteSafe,
  explainSafeAccess,
  findKnownPrincipals,
  findPrincipals,
  listSafeMembers,
  listSafes,
  readSafe,
  readSafeHistory,
  removeSafeMember,
  safeStatistics,
  updateSafe,
  updateSafeMember,
} from "@strongroom/contract";
import type { HistoryOfTarget } from "#features/audit/index.ts";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { addMember, changeMember, removeMember } from "./members/change-members.ts";
import { changeSafe, makeSafe } from "./crud/change-safe.ts";
import type { ClosedListener } from "./crud/change-safe.ts";
import { removeSafe } from "./crud/delete-safe.ts";
import type { AccountMover } from "./crud/delete-safe.ts";
import { explainSafe } from "./access/explain-access.ts";
import { findMembers } from "./members/find-members.ts";
import { knownPrincipals, principals } from "./members/find-principals.ts";
import { findSafes, readOne } from "./crud/find-safes.ts";
import type { LostMembersListener } from "./members/lost-members.ts";
import { targetOf } from "./safes.ts";
import { countSafes } from "./safes.store.ts";
import { requirePermission } from "./effective-permissions.ts";

export interface SafeDeps {
  onLost: LostMembersListener;
  onClosed: ClosedListener;
  move: AccountMover;
  historyOfTarget: HistoryOfTarget;
}

export function bindSafes(kernel: Kernel, { onLost, onClosed, move, historyOfTarget }: SafeDeps): void {
  const deps = { kernel, onLost };
  implement(kernel, listSafes, findSafes);
  implement(kernel, safeStatistics, (call, db) => countSafes(db, call.actor));
  implement(kernel, findPrincipals, principals);
  implement(kernel, findKnownPrincipals, knownPrincipals);
  implement(kernel, createSafe, (call, tx) => makeSafe(kernel, call, tx));
  implement(kernel, readSafe, readOne);
  implement(kernel, updateSafe, (call, tx) => changeSafe(kernel, call, tx, onClosed));
  implement(kernel, deleteSafe, (call, tx) => removeSafe(kernel, call, tx, move));
  implement(kernel, listSafeMembers, findMembers);
  implement(kernel, addSafeMember, (call, tx) => addMember(deps, call, tx));
  implement(kernel, updateSafeMember, (call, tx) => changeMember(deps, call, tx));
  implement(kernel, removeSafeMember, (call, tx) => removeMember(deps, call, tx));
  implement(kernel, explainSafeAccess, explainSafe);
  implement(kernel, readSafeHistory, async (call, db) => {
    const { safe } = await requirePermission(db, call.actor, call.params.id, "view_audit");
    return historyOfTarget(db, targetOf(safe), call.query);
  });
}
