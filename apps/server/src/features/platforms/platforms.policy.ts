// Decides who may see and change platforms.
import { ROLES } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = { "platform.read": ROLES, "platform.manage": ["admin"] };
