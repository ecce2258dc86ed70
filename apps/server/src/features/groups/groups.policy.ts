// Who may see and manage groups. Their names alone are seen where a group is a member of a safe that one sees.
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants: Grants = { "group.read": ["admin", "manager"], "group.manage": ["admin"] };
