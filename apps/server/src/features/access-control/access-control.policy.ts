// Who may look at who has access, and how standings and accounts are counted into what somebody can do. Pure: the verdict on
// each account is the accounts' own.
import { ROLES } from "@strongroom/contract";
import type { AccountStatus, SafeStatus } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";
import { decide, isVisible } from "#features/accounts/index.ts";
import type { AccountStanding } from "#features/accounts/index.ts";
import { bitOf } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";

/** Managers see as far as the safes that they manage or audit; reviewers and previews are judged by what they are about. */
export const grants: Grants = {
  "access.read": ["admin", "manager"],
  "access.preview": ROLES,
  "access.review": ROLES,
  "access.manage": ["admin"],
};

/** Whose members and accounts somebody may look into: with one of these permissions in the safe. */
export const LOOKING_INTO: Permissions = bitOf("manage_members") | bitOf("view_audit");

/** Of one or several safes: accounts that are active on platforms without and with approvals, and all others. */
export interface Stock {
  free: number;
  asking: number;
  idle: number;
}

/** What is lent to somebody, with how they stand in its safe without it. */
export interface LentAccount {
  permissions: Permissions;
  safe_status: SafeStatus;
  account_status: AccountStatus;
  approvals: number;
}

export interface Reach {
  accounts: number;
  accounts_usable: number;
  accounts_retrievable: number;
}

export const NOTHING: Reach = { accounts: 0, accounts_usable: 0, accounts_retrievable: 0 };

export const plus = (a: Reach, b: Reach): Reach => ({
  accounts: a.accounts + b.accounts,
  accounts_usable: a.accounts_usable + b.accounts_usable,
  accounts_retrievable: a.accounts_retrievable + b.accounts_retrievable,
});

const reachOf = (standing: AccountStanding, count: number): Reach => ({
  accounts: isVisible(standing) ? count : 0,
  accounts_usable: decide("use", standing) === "allowed" ? count : 0,
  accounts_retrievable: decide("retrieve", standing) === "allowed" ? count : 0,
});

/** How many accounts somebody with this standing reaches in safes of this status. */
export function reachIn(permissions: Permissions, safeStatus: SafeStatus, { free, asking, idle }: Stock): Reach {
  const one = (accountStatus: AccountStatus, approvals: number, count: number) =>
    reachOf({ permissions, safeStatus, accountStatus, approvals, isGranted: false }, count);
  return [one("active", 0, free), one("active", 1, asking), one("disabled", 0, idle)].reduce(plus);
}

/** What a grant adds to what its owner reaches anyway. */
export function reachOfGrant({ permissions, safe_status, account_status, approvals }: LentAccount): Reach {
  const standing = { permissions, safeStatus: safe_status, accountStatus: account_status, approvals };
  const having = reachOf({ ...standing, isGranted: true }, 1);
  const without = reachOf({ ...standing, isGranted: false }, 1);
  return {
    accounts: having.accounts - without.accounts,
    accounts_usable: having.accounts_usable - without.accounts_usable,
    accounts_retrievable: having.accounts_retrievable - without.accounts_retrievable,
  };
}
