// The figures and alerts of the first page, over what the caller may see.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";

export const DashboardStats = z.object({
  totalCredentials: z.number().int(),
  activeSessions: z.number().int(),
  privilegedUsers: z.number().int(),
  /** Percent, 0 to 100, whole. */
  complianceScore: z.number().int().min(0).max(100),
  /** How the score comes about, for the card's tooltip. */
  complianceFormula: z.string(),
});
export type DashboardStats = z.infer<typeof DashboardStats>;

export const readDashboardStats = endpoint({
  method: "GET",
  path: "/api/v1/dashboard/stats",
  summary: "The dashboard's four figures",
  reply: DashboardStats,
  needs: "dashboard.read",
  audit: "none",
});

export const ALERT_SEVERITIES = ["critical", "high", "medium", "low"] as const;
export const DashboardAlert = z.object({
  id: z.string(),
  message: z.string(),
  severity: z.enum(ALERT_SEVERITIES),
  timestamp: Moment,
  /** Where in the product the alert leads. */
  link: z.string().nullable(),
});
export type DashboardAlert = z.infer<typeof DashboardAlert>;

export const listDashboardAlerts = endpoint({
  method: "GET",
  path: "/api/v1/dashboard/alerts",
  summary: "What needs a person now, worst first",
  reply: z.object({ alerts: z.array(DashboardAlert) }),
  needs: "dashboard.read",
  audit: "none",
});
