// Decides who may see the credential manager's status, and rates it.
import { ROLES } from "@strongroom/contract";
import type { CpmStatus } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = { "cpm.read": ROLES };

/** `failed` if there is an alarm or most secrets fail verification; `warning` if some fail. */
export function healthOf(standing: { total: number; failed: number }, hasAlarm: boolean): CpmStatus["status"] {
  if (hasAlarm || standing.failed * 2 > standing.total) return "failed";
  return standing.failed > 0 ? "warning" : "healthy";
}
