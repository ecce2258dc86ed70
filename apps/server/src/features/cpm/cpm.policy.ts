// Who may see the credential manager's state, and how bad that state is.
import { ROLES } from "@strongroom/contract";
import type { CpmStatus } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants: Grants = { "cpm.read": ROLES };

/** Failed: an alarm, or most secrets do not work. Warning: some do not. */
export function healthOf(standing: { total: number; failed: number }, hasAlarm: boolean): CpmStatus["status"] {
  if (hasAlarm || standing.failed * 2 > standing.total) return "failed";
  return standing.failed > 0 ? "warning" : "healthy";
}
