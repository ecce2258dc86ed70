// Decides who may see the dashboard, and computes its score and alert severities.
import { ROLES } from "@strongroom/contract";
import type { DashboardAlert } from "@strongroom/contract";
import type { Compliance } from "#features/figures/index.ts";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = { "dashboard.read": ROLES };

const DAY_MS = 86_400_000;

/** How long before its expiry a secret raises an alert. */
export const ENDS_WITHIN_MS = 30 * DAY_MS;

/** Whole percent, rounded down so that only full compliance is 100. Null without secrets. */
export const complianceScore = ({ total, compliant }: Compliance): number | null =>
  total === 0 ? null : Math.floor((compliant / total) * 100);

export function endingSeverity(expiresAt: Date, now: Date): DashboardAlert["severity"] {
  const days = (expiresAt.getTime() - now.getTime()) / DAY_MS;
  if (days < 0) return "critical";
  return days < 7 ? "high" : "medium";
}
