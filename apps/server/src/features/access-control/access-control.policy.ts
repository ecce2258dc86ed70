// Decides who may look at other users' access, and counts the accounts a user can access. Pure: the decision about each
// account comes from the accounts feature.
import { ROLES } from "@strongroom/contract";
import type { AccountStatus, SafeStatus } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import { decideAccess, isVisible } from "#features/accounts/index.ts";
import type { AccountAccess } from "#features/accounts/index.ts";
import { bitOf } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";

/** Managers see the safes that they manage or audit. Reviews and previews have their own permission checks. */
export const rolePermissions: RolePermissions = {
  "access.read": ["admin", "manager"],
  "access.preview": ROLES,
  "access.review": ROLES,
  "access.manage": ["admin"],
};

/** One of these permissions in a safe lets a user see its members and accounts. */
export const SAFE_INSIGHT_PERMISSIONS: Permissions = bitOf("manage_members") | bitOf("view_audit");

/**
 * Counts of accounts in one or more safes: active on platforms without approvals, active on platforms with approvals,
 * and all others.
 */
export interface AccountCounts {
  free: number;
  asking: number;
  idle: number;
}

/** An account with an active grant, and the user's permissions in its safe without that grant. */
export interface GrantedAccount {
  permissions: Permissions;
  safe_status: SafeStatus;
  account_status: AccountStatus;
  approvals: number;
}

export interface AccessibleAccounts {
  accounts: number;
  accounts_usable: number;
  accounts_retrievable: number;
}

export const NO_ACCESS: AccessibleAccounts = { accounts: 0, accounts_usable: 0, accounts_retrievable: 0 };

export const addAccess = (a: AccessibleAccounts, b: AccessibleAccounts): AccessibleAccounts => ({
  accounts: a.accounts + b.accounts,
  accounts_usable: a.accounts_usable + b.accounts_usable,
  accounts_retrievable: a.accounts_retrievable + b.accounts_retrievable,
});

const reachOf = (standing: AccountAccess, count: number): AccessibleAccounts => ({
  accounts: isVisible(standing) ? count : 0,
  accounts_usable: decideAccess("use", standing) === "allowed" ? count : 0,
  accounts_retrievable: decideAccess("retrieve", standing) === "allowed" ? count : 0,
});

/** Counts the accounts a user with these permissions can access in safes of this status. */
export function accessInSafe(
  permissions: Permissions,
  safeStatus: SafeStatus,
  { free, asking, idle }: AccountCounts,
): AccessibleAccounts {
  const one = (accountStatus: AccountStatus, approvals: number, count: number) =>
    reachOf({ permissions, safeStatus, accountStatus, approvals, isGranted: false }, count);
  return [one("active", 0, free), one("active", 1, asking), one("disabled", 0, idle)].reduce(addAccess);
}

/** The access that a grant adds to what the user has without the grant. */
export function accessFromGrant({
  permissions,
  safe_status,
  account_status,
  approvals,
}: GrantedAccount): AccessibleAccounts {
  const standing = { permissions, safeStatus: safe_status, accountStatus: account_status, approvals };
  const having = reachOf({ ...standing, isGranted: true }, 1);
  const without = reachOf({ ...standing, isGranted: false }, 1);
  return {
    accounts: having.accounts - without.accounts,
    accounts_usable: having.accounts_usable - without.accounts_usable,
    accounts_retrievable: having.accounts_retrievable - without.accounts_retrievable,
  };
}
