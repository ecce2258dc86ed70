// The permissions of a safe's members, and the predefined roles.
import { z } from "zod";

/**
 * The position of each permission is its bit in the database: add new ones at the end, never reorder. `list` comes with
 * each of the others.
 */
export const SAFE_PERMISSIONS = [
  /** See the safe, its accounts and their properties, and request access. */
  "list",
  /** Open a session on an account without seeing its secret. */
  "use",
  /** See and copy the secret. */
  "retrieve",
  "add",
  "update_properties",
  "update_secret",
  /** Verify, change and reconcile: the actions of the product with the secret on the target. */
  "manage_secret",
  "rename",
  "delete",
  /** The safe's own properties, and its deletion. */
  "manage_safe",
  "manage_members",
  "view_audit",
  "approve_level_1",
  "approve_level_2",
  /** Use and retrieve immediately where the platform requires approval from others. */
  "access_without_confirmation",
] as const;
export const SafePermission = z.enum(SAFE_PERMISSIONS);
export type SafePermission = z.infer<typeof SafePermission>;

export const SAFE_PERMISSION_LABELS: Record<SafePermission, string> = {
  list: "List accounts",
  use: "Use accounts",
  retrieve: "Retrieve secrets",
  add: "Add accounts",
  update_properties: "Update account properties",
  update_secret: "Update secrets",
  manage_secret: "Verify, change and reconcile secrets",
  rename: "Rename accounts",
  delete: "Delete accounts",
  manage_safe: "Manage the safe",
  manage_members: "Manage members",
  view_audit: "View audit",
  approve_level_1: "Approve requests (level 1)",
  approve_level_2: "Approve requests (level 2)",
  access_without_confirmation: "Access without confirmation",
};

export const SAFE_ROLES = ["owner", "manager", "user", "auditor", "approver", "custom"] as const;
export const SafeRole = z.enum(SAFE_ROLES);
export type SafeRole = z.infer<typeof SafeRole>;

export const SAFE_ROLE_LABELS: Record<SafeRole, string> = {
  owner: "Owner",
  manager: "Manager",
  user: "User",
  auditor: "Auditor",
  approver: "Approver",
  custom: "Custom",
};

/** The permissions of each predefined role; `custom` is any other selection. */
export const PERMISSIONS_OF_ROLE: Record<Exclude<SafeRole, "custom">, readonly SafePermission[]> = {
  owner: SAFE_PERMISSIONS,
  manager: [
    "list",
    "use",
    "retrieve",
    "add",
    "update_properties",
    "update_secret",
    "manage_secret",
    "rename",
    "delete",
    "manage_members",
    "view_audit",
  ],
  user: ["list", "use", "retrieve"],
  auditor: ["list", "view_audit"],
  approver: ["list", "approve_level_1", "approve_level_2"],
};
