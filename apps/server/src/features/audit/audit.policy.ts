// Which roles may read, export and verify the audit trail (OPEN-133).
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions = {
  "audit.read": ["admin", "manager"],
  "audit.export": ["admin", "manager"],
  "audit.verify": ["admin", "manager"],
  "audit.decide": ["admin"],
} satisfies RolePermissions;
