// Labels of roles, permissions and the sources of access.
import {
  SAFE_PERMISSIONS,
  SAFE_PERMISSION_LABELS,
  type Role,
  type SafePermission,
  type StandingPath,
} from "@strongroom/contract";
import { capitalised, counted } from "#shared/format/text.ts";

export const ROLE_LABELS: Record<Role, string> = { user: "User", manager: "Manager", admin: "Admin" };

/** Shortens a list of permissions; show the full list in a tooltip. */
export function permissionSummary(permissions: readonly SafePermission[]): string {
  if (permissions.length === 0) return "No permissions";
  if (permissions.length === SAFE_PERMISSIONS.length) return "All permissions";
  const first = permissions.filter((each) => each !== "list").map((each) => SAFE_PERMISSION_LABELS[each]);
  if (first.length === 0) return "List accounts only";
  const rest = first.length - 2;
  return rest > 0 ? `${first.slice(0, 2).join(", ")} and ${rest} more` : first.join(", ");
}

export const permissionList = (permissions: readonly SafePermission[]): string =>
  permissions.map((each) => SAFE_PERMISSION_LABELS[each]).join(", ");

const KINDS: Record<StandingPath["kind"], (through: string) => string> = {
  member: (through) => `Member as ${through}`,
  group: (through) => `Through the group ${through}`,
  "access-level": (through) => `Access level: ${through}`,
  role: (through) => `Role: ${ROLE_LABELS[through as Role] ?? capitalised(through)}`,
};

export const accessPathLabel = ({ kind, through }: StandingPath): string => KINDS[kind](through);

/** "3 of 8 accounts to use, 2 to retrieve". */
export function accessSummary(reach: {
  accounts: number;
  accounts_usable: number;
  accounts_retrievable: number;
}): string {
  const { accounts, accounts_usable: usable, accounts_retrievable: retrievable } = reach;
  if (accounts === 0) return "No accounts";
  return `${counted(accounts, "account")}: ${usable.toLocaleString()} to use, ${retrievable.toLocaleString()} to retrieve now`;
}
