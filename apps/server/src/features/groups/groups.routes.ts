// Binds the group endpoints to their handlers.
import {
  addGroupMember,
  createGroup,
  deleteGroup,
  listGroupMembers,
  listGroups,
  removeGroupMember,
  updateGroup,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { addPerson, changeGroup, findGroups, findPeople, makeGroup, removeGroup, removePerson } from "./groups.ts";
import type { GroupDeps } from "./groups.ts";

export function bindGroups(deps: GroupDeps): void {
  const { kernel } = deps;
  implement(kernel, listGroups, findGroups);
  implement(kernel, createGroup, (call, tx) => makeGroup(deps, call, tx));
  implement(kernel, updateGroup, (call, tx) => changeGroup(deps, call, tx));
  implement(kernel, deleteGroup, (call, tx) => removeGroup(deps, call, tx));
  implement(kernel, listGroupMembers, findPeople);
  implement(kernel, addGroupMember, (call, tx) => addPerson(deps, call, tx));
  implement(kernel, removeGroupMember, (call, tx) => removePerson(deps, call, tx));
}
