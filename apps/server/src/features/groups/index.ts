// Groups of users, which can be members of safes. Teams and departments also determine which users can see each other's
// safes.
import type { Kernel } from "#kernel/kernel.ts";
import type { SafesFeature } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { addGroupMember, deleteGroup, removeGroupMember, updateGroup } from "@strongroom/contract";
import type { CallInput } from "#kernel/http/call.ts";
import { removePersonFromGroups } from "./groups.store.ts";
import { addPerson, changeGroup, removeGroup, removePerson } from "./groups.ts";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import type { GroupDeps } from "./groups.ts";
import { bindGroups } from "./groups.routes.ts";

const rolePermissions: RolePermissions = { "group.read": ["admin", "manager"], "group.manage": ["admin"] };

export interface GroupsFeature {
  /** Removes a deleted user from all groups. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** The use cases of the endpoints, for use in another feature's transaction. The caller checks the permission. */
  readonly acts: {
    change(act: CallInput<typeof updateGroup>, tx: Tx): Promise<unknown>;
    addPerson(act: CallInput<typeof addGroupMember>, tx: Tx): Promise<unknown>;
    removePerson(act: CallInput<typeof removeGroupMember>, tx: Tx): Promise<unknown>;
    remove(act: CallInput<typeof deleteGroup>, tx: Tx): Promise<unknown>;
  };
}

export function installGroups(kernel: Kernel, { membersLost }: Pick<SafesFeature, "membersLost">): GroupsFeature {
  kernel.authority.grant(rolePermissions);
  const deps: GroupDeps = { kernel, membersLost };
  bindGroups(deps);
  return {
    forgetPerson: removePersonFromGroups,
    acts: {
      change: (act, tx) => changeGroup(deps, act, tx),
      addPerson: (act, tx) => addPerson(deps, act, tx),
      removePerson: (act, tx) => removePerson(deps, act, tx),
      remove: (act, tx) => removeGroup(deps, act, tx),
    },
  };
}

export { readGroup } from "./groups.store.ts";
export { searchableGroups } from "./groups.ts";
