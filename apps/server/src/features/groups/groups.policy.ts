// The roles that may read and manage groups. A user who sees a safe also sees the names of its member groups.
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = { "group.read": ["admin", "manager"], "group.manage": ["admin"] };
