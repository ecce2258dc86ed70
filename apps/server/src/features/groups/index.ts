// Groups of users: members of safes together; teams and departments also decide who sees whose safes.
import type { Kernel } from "#kernel/kernel.ts";
import type { SafesFeature } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { addGroupMember, deleteGroup, removeGroupMember, updateGroup } from "@strongroom/contract";
import type { Act } from "#kernel/http/act.ts";
import { forgetPerson } from "./groups.store.ts";
import { addPerson, changeGroup, removeGroup, removePerson } from "./groups.ts";
import type { GroupDeps } from "./groups.ts";
import { grants } from "./groups.policy.ts";
import { bindGroups } from "./groups.routes.ts";

export interface GroupsFeature {
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** The calls' own use cases, in the transaction of another feature; whether the caller may is for that one to ask. */
  readonly acts: {
    change(act: Act<typeof updateGroup>, tx: Tx): Promise<unknown>;
    addPerson(act: Act<typeof addGroupMember>, tx: Tx): Promise<unknown>;
    removePerson(act: Act<typeof removeGroupMember>, tx: Tx): Promise<unknown>;
    remove(act: Act<typeof deleteGroup>, tx: Tx): Promise<unknown>;
  };
}

export function installGroups(kernel: Kernel, { membersLost }: Pick<SafesFeature, "membersLost">): GroupsFeature {
  kernel.authority.grant(grants);
  const deps: GroupDeps = { kernel, membersLost };
  bindGroups(deps);
  return {
    forgetPerson,
    acts: {
      change: (act, tx) => changeGroup(deps, act, tx),
      addPerson: (act, tx) => addPerson(deps, act, tx),
      removePerson: (act, tx) => removePerson(deps, act, tx),
      remove: (act, tx) => removeGroup(deps, act, tx),
    },
  };
}

export { readGroup } from "./groups.store.ts";
export { searchableGroups } from "./search-groups.ts";
