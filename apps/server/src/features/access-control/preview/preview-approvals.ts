// Previews a change of a platform's approvals. No dry run is needed: the number of required approvals only determines
// whether users who already have access must wait for an approver.
import type { AccessChange, AccessPreview, PermissionChange, UserId } from "@strongroom/contract";
import { platformNotFound } from "#features/platforms/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
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
import type { Actor } from "#kernel/authz/actor.ts";
import { requireScope } from "#kernel/authz/token-scope.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { findAffectedPeople, readApprovals } from "./approvals.store.ts";
import type { AffectedRow } from "./approvals.store.ts";

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

type ApprovalsChange = Extract<AccessChange, { kind: "platform-approvals" }>;

const NOBODY: AccessPreview = { people_gaining: 0, people_losing: 0, accounts: 0, people: [] };

/** Throws the same 400 and 404 as the change itself. */
export async function previewApprovals(tx: Tx, change: ApprovalsChange, most: number): Promise<AccessPreview> {
  const { platform_id: id, approvals_level_1, approvals_level_2 } = change;
  if (approvals_level_2 > 0 && approvals_level_1 === 0) {
    const msg = "Level 2 requires approvals at level 1";
    throw refuse(400, "request.invalid", msg, { errors: [{ path: "change.approvals_level_2", msg }] });
  }
  const before = await readApprovals(tx, id);
  if (before === null) throw platformNotFound();
  const [wasFree, isFree] = [before === 0, approvals_level_1 + approvals_level_2 === 0];
  if (wasFree === isFree) return NOBODY;
  const rows = await findAffectedPeople(tx, id, most);
  const [first] = rows;
  if (first === undefined) return NOBODY;
  return {
    people_gaining: isFree ? first.people : 0,
    people_losing: isFree ? 0 : first.people,
    accounts: first.accounts,
    people: rows.map((row) => ({
      user_id: row.user_id as UserId,
      name: row.name,
      email: row.email,
      changes: changesOf(row, isFree),
      grants_lost: 0,
    })),
  };
}

function changesOf(row: AffectedRow, isFree: boolean): PermissionChange[] {
  const none = { safes_gained: 0, safes_lost: 0 };
  return (["use", "retrieve"] as const)
    .filter((permission) => row[permission] > 0)
    .map((permission) => {
      const [gained, lost] = isFree ? [row[permission], 0] : [0, row[permission]];
      return { permission, accounts_gained: gained, accounts_lost: lost, accounts_askable: lost, ...none };
    });
}

/** Throws the same 403 as the endpoint of the change. The use case itself makes the checks that depend on the safe. */
export function requireRight({ authority }: Pick<Kernel, "authority">, actor: Actor, { kind }: AccessChange): void {
  authority.require(CALLS[kind].needs, actor);
  requireScope(CALLS[kind], actor);
}
