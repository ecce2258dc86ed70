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
  owner: "All permissions in this safe.",
  manager: "Manages the accounts and the members.",
  user: "Uses accounts and retrieves their passwords where no approval is required.",
  auditor: "Sees the accounts and their history, but no passwords.",
  approver: "Decides access requests, but sees no passwords.",
  custom: "Only the permissions selected below.",
};
