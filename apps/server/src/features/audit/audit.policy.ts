// Who may read, export and verify the audit trail (OPEN-133).
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants = {
  "audit.read": ["admin", "manager"],
  "audit.export": ["admin", "manager"],
  "audit.verify": ["admin", "manager"],
  "audit.decide": ["admin"],
} satisfies Grants;
