// Decides who may use and retrieve an account now. The same rule applies to account rows, retrievals and the actions that screens
// offer.
import { ROLES, SAFE_PERMISSIONS } from "@strongroom/contract";
import type { AccountStatus, SafePermission, SafeStatus } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import { allows } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";

export const rolePermissions: RolePermissions = {
  "account.list": ROLES,
  "account.create": ROLES,
  "account.use": ROLES,
  "account.export": ROLES,
};

/** The facts about a user and an account that determine access. */
export interface AccountAccess {
  /** The user's permissions in the account's safe, from `effectivePermissionsOf`; 0 if they cannot see the safe. */
  permissions: Permissions;
  safeStatus: SafeStatus;
  accountStatus: AccountStatus;
  /** The number of approvals that the platform requires. */
  approvals: number;
  /** Whether the user has an active grant for this account. */
  isGranted: boolean;
}

/** `no` means that an approval would not help either. */
export type AccessVerdict = "allowed" | "needs-approval" | "no";

/**
 * INVARIANT: an account is used or retrieved only with an active grant, or with the permission in its safe if the platform
 * requires no approval or the user is exempt from approval; and never while the account or its safe is not active.
 */
export function decideAccess(wanted: "use" | "retrieve", standing: AccountAccess): AccessVerdict {
  const { permissions, safeStatus, accountStatus, approvals, isGranted } = standing;
  if (safeStatus !== "active" || accountStatus !== "active") return "no";
  if (isGranted) return "allowed";
  if (!allows(permissions, "list")) return "no";
  const isConfirmed = approvals === 0 || allows(permissions, "access_without_confirmation");
  return allows(permissions, wanted) && isConfirmed ? "allowed" : "needs-approval";
}

/** An account is visible to users who may list it in its safe and to users with a grant for it. */
export const isVisible = ({ permissions, isGranted }: AccountAccess): boolean =>
  isGranted || allows(permissions, "list");

/** The user's permissions on the account now, including `use` and `retrieve` only if no further approval is needed. */
export function permissionsOn(standing: AccountAccess): SafePermission[] {
  const { permissions, isGranted } = standing;
  return SAFE_PERMISSIONS.filter((name) => {
    if (name === "use" || name === "retrieve") return decideAccess(name, standing) === "allowed";
    return allows(permissions, name) || (name === "list" && isGranted);
  });
}

/** Whether the user could use or retrieve the account after an approval. */
export const needsApproval = (standing: AccountAccess): boolean =>
  (["use", "retrieve"] as const).some((wanted) => decideAccess(wanted, standing) === "needs-approval");
