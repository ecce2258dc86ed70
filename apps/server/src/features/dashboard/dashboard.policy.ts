// Decides who may see the dashboard, and computes its score and the severity of its alerts.
import { ROLES } from "@strongroom/contract";
import type { DashboardAlert } from "@strongroom/contract";
import type { Compliance } from "#features/figures/index.ts";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = { "dashboard.read": ROLES };

/** Whole percent, rounded down so that only full compliance is 100. Null without secrets. */
export const complianceScore = ({ total, compliant }: Compliance): number | null =>
  total === 0 ? null : Math.floor((compliant / total) * 100);

/** The groups of secrets that expire, by the days that are left; `until` is excluded. */
export const ENDING_GROUPS = [
  { id: "expired", from: null, until: 0, severity: "critical", text: "expired" },
  { id: "week", from: 0, until: 7, severity: "high", text: "expire within 7 days" },
  { id: "month", from: 7, until: 30, severity: "medium", text: "expire within 30 days" },
] as const satisfies readonly {
  id: string;
  from: number | null;
  until: number;
  severity: DashboardAlert["severity"];
  text: string;
}[];
export type EndingGroup = (typeof ENDING_GROUPS)[number];
