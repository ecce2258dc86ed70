// Who may see the dashboard, and the rules behind its score and its alerts.
import { ROLES } from "@strongroom/contract";
import type { DashboardAlert } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants: Grants = { "dashboard.read": ROLES };

const DAY_MS = 86_400_000;

/** How recent a verification must be to count. */
export const VERIFIED_WITHIN_MS = 30 * DAY_MS;
/** How long before its end a secret raises an alert. */
export const ENDS_WITHIN_MS = 30 * DAY_MS;

export const COMPLIANCE_FORMULA =
  "Share of the credentials and accounts that you see that were verified within the last 30 days and whose last verification did not fail";

/** Whole percent, rounded down so that only all of them make 100. Nothing stored breaks no rule: 100. */
export function complianceScore({ total, verifiedSince }: { total: number; verifiedSince: number }): number {
  return total === 0 ? 100 : Math.floor((verifiedSince / total) * 100);
}

export function failureSeverity(failing: { isAlarm: boolean; isRejected: boolean }): DashboardAlert["severity"] {
  if (failing.isAlarm) return "critical";
  return failing.isRejected ? "high" : "medium";
}

export function endingSeverity(expiresAt: Date, now: Date): DashboardAlert["severity"] {
  const days = (expiresAt.getTime() - now.getTime()) / DAY_MS;
  if (days < 0) return "critical";
  return days < 7 ? "high" : "medium";
}
