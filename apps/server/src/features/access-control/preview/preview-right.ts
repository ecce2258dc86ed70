// Decides who may preview a change: users who may make the change, and tokens with its scope.
import {
  addGroupMember,
  addSafeMember,
  changeUserRole,
  deleteGroup,
  removeGroupMember,
  removeSafeMember,
  setUserStatus,
  updateGroup,
  updatePlatform,
  updateSafe,
  updateSafeMember,
} from "@strongroom/contract";
import type { AccessChange } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import { requireScope } from "#kernel/authz/token-scope.ts";
import type { Kernel } from "#kernel/kernel.ts";

/** The endpoint that makes each change. */
const CALLS: Record<AccessChange["kind"], Parameters<typeof requireScope>[0]> = {
  "member-added": addSafeMember,
  "member-updated": updateSafeMember,
  "member-removed": removeSafeMember,
  "safe-changed": updateSafe,
  "group-member-added": addGroupMember,
  "group-member-removed": removeGroupMember,
  "group-kind-changed": updateGroup,
  "group-deleted": deleteGroup,
  "role-changed": changeUserRole,
  "person-disabled": setUserStatus,
  "platform-approvals": updatePlatform,
};

/** Throws 403 as the endpoint of the change would. Checks that depend on the safe are made by the use case itself. */
export function requireRight({ authority }: Pick<Kernel, "authority">, actor: Actor, { kind }: AccessChange): void {
  authority.require(CALLS[kind].needs, actor);
  requireScope(CALLS[kind], actor);
}
