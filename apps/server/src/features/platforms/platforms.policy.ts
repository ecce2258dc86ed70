// Who may see and change platforms.
import { ROLES } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants: Grants = { "platform.read": ROLES, "platform.manage": ["admin"] };
