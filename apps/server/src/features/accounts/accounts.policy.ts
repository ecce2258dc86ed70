// Who may use and retrieve an account now: one rule for rows, retrieval and what screens offer.
import { ROLES, SAFE_PERMISSIONS } from "@strongroom/contract";
import type { AccountStatus, SafePermission, SafeStatus } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";
import { allows } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";

export const grants: Grants = {
  "account.list": ROLES,
  "account.create": ROLES,
  "account.use": ROLES,
  "account.export": ROLES,
};

/** What is known of a person and an account. */
export interface AccountStanding {
  /** In the account's safe, as `standingsOf` says; 0: they see nothing of it. */
  permissions: Permissions;
  safeStatus: SafeStatus;
  accountStatus: AccountStatus;
  /** Approvals that the platform asks for. */
  approvals: number;
  /** A grant in force on this very account. */
  isGranted: boolean;
}

/** `no`: no approval would help, either. */
export type Verdict = "allowed" | "needs-approval" | "no";

/**
 * INVARIANT: an account is used or retrieved with a grant in force, or with the permission in its safe where the platform
 * asks for no approval or the person needs none; and never while the account or its safe is not active.
 */
export function decide(wanted: "use" | "retrieve", standing: AccountStanding): Verdict {
  const { permissions, safeStatus, accountStatus, approvals, isGranted } = standing;
  if (safeStatus !== "active" || accountStatus !== "active") return "no";
  if (isGranted) return "allowed";
  if (!allows(permissions, "list")) return "no";
  const isConfirmed = approvals === 0 || allows(permissions, "access_without_confirmation");
  return allows(permissions, wanted) && isConfirmed ? "allowed" : "needs-approval";
}

/** Who sees the account: whoever may list it in its safe, and whoever it is lent to. */
export const isVisible = ({ permissions, isGranted }: AccountStanding): boolean =>
  isGranted || allows(permissions, "list");

/** What the person may do with it now; `use` and `retrieve` stand there when no further approval is needed. */
export function permissionsOn(standing: AccountStanding): SafePermission[] {
  const { permissions, isGranted } = standing;
  return SAFE_PERMISSIONS.filter((name) => {
    if (name === "use" || name === "retrieve") return decide(name, standing) === "allowed";
    return allows(permissions, name) || (name === "list" && isGranted);
  });
}

/** They could use or retrieve it after an approval. */
export const needsApproval = (standing: AccountStanding): boolean =>
  (["use", "retrieve"] as const).some((wanted) => decide(wanted, standing) === "needs-approval");
