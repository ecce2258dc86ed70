// The predefined roles that control a project of Google Cloud, from its "IAM basic and predefined roles reference".
import type { PrivilegeKind } from "../collected.ts";

const ROLES: ReadonlyMap<string, PrivilegeKind> = new Map([
  ["roles/owner", "cloud-admin"],
  ["roles/resourcemanager.organizationAdmin", "cloud-admin"],
  // They can grant themselves any role.
  ["roles/resourcemanager.projectIamAdmin", "escalation"],
  ["roles/resourcemanager.folderIamAdmin", "escalation"],
  ["roles/iam.securityAdmin", "escalation"],
  ["roles/iam.roleAdmin", "escalation"],
  ["roles/iam.organizationRoleAdmin", "escalation"],
  // They can act as every service account of the project.
  ["roles/editor", "impersonation"],
  ["roles/iam.serviceAccountAdmin", "impersonation"],
  ["roles/iam.serviceAccountKeyAdmin", "impersonation"],
  ["roles/iam.serviceAccountTokenCreator", "impersonation"],
  ["roles/iam.serviceAccountUser", "impersonation"],
]);

/** Null for other roles. Strongroom does not read the permissions of custom roles. */
export const rightOf = (role: string): PrivilegeKind | null => ROLES.get(role) ?? null;
