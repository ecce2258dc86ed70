// The roles and permissions that control a tenant or a subscription. Their IDs are the same in every tenant.
import type { PrivilegeKind } from "../collected.ts";
import type { Assignment } from "./directory.ts";

interface Right {
  kind: PrivilegeKind;
  name: string;
}

/** Directory roles, from "Microsoft Entra built-in roles". */
const DIRECTORY_ROLES: ReadonlyMap<string, PrivilegeKind> = new Map([
  // Global Administrator.
  ["62e90394-69f5-4237-9190-012177145e10", "cloud-admin"],
  // Privileged Role Administrator: can assign every role.
  ["e8611ab8-c189-46e8-94e1-60213ab1f814", "escalation"],
  // Privileged Authentication Administrator: can reset the password of a Global Administrator.
  ["7be44c8a-adaf-4e2a-84d6-ab2649e08a13", "escalation"],
  // Application Administrator and Cloud Application Administrator: can add secrets to privileged applications.
  ["9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3", "escalation"],
  ["158c047a-c907-4556-b7ef-446551a6b5f7", "escalation"],
  // Hybrid Identity Administrator.
  ["8ac3fc64-6eca-42ea-9e69-59f4c7b60eb2", "escalation"],
]);

/** Permissions of applications, from the "Microsoft Graph permissions reference". */
const PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ["9e3f62cf-ca93-4989-b6ce-bf83c28f9fe8", "RoleManagement.ReadWrite.Directory"],
  ["06b708a9-e830-4db3-a914-8e69da51d44f", "AppRoleAssignment.ReadWrite.All"],
  ["1bfefb4e-e0b5-418b-a88f-73c46d2cc8e9", "Application.ReadWrite.All"],
]);

/** Roles of subscriptions, from "Azure built-in roles". */
const SUBSCRIPTION_ROLES: ReadonlyMap<string, Right> = new Map([
  ["8e3af657-a8ff-443c-a75c-2fe8c4bcb635", { kind: "cloud-admin", name: "Owner" }],
  ["18d7d88d-d35e-4fb5-a5c3-7773c20a72d9", { kind: "escalation", name: "User Access Administrator" }],
  ["f58310d9-a9f6-439a-9e8d-f62e7b41a168", { kind: "escalation", name: "Role Based Access Control Administrator" }],
]);

/** The right that the assignment grants; null if it grants none, or covers only a part of the tenant or subscription. */
export function rightOf({ roleId, roleName, isEverywhere }: Assignment): Right | null {
  if (!isEverywhere) return null;
  const directory = DIRECTORY_ROLES.get(roleId);
  if (directory !== undefined) return { kind: directory, name: roleName };
  const permission = PERMISSIONS.get(roleId);
  if (permission !== undefined) return { kind: "escalation", name: permission };
  const role = SUBSCRIPTION_ROLES.get(roleId);
  return role === undefined ? null : { kind: role.kind, name: `${role.name} of ${roleName}` };
}
