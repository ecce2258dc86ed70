// The permissions of a safe grouped for the form, and the hint of each preset role.
import type { SafePermission, SafeRole } from "@strongroom/contract";

export const PERMISSION_GROUPS: readonly { label: string; permissions: readonly SafePermission[] }[] = [
  { label: "Access", permissions: ["list", "use", "retrieve", "access_without_confirmation"] },
  {
    label: "Accounts",
    permissions: ["add", "update_properties", "rename", "update_secret", "manage_secret", "delete"],
  },
  { label: "Safe", permissions: ["manage_safe", "manage_members", "view_audit"] },
  { label: "Requests", permissions: ["approve_level_1", "approve_level_2"] },
];

export const ROLE_HINTS: Record<SafeRole, string> = {
  owner: "Everything in this safe.",
  manager: "Works with the accounts and decides on the members.",
  user: "Uses the accounts and sees their passwords, where no approval is asked for.",
  auditor: "Sees what is here and what was done with it, but no password.",
  approver: "Decides on requests, but sees no password.",
  custom: "Exactly what is chosen below.",
};
