// The figures and alerts of the dashboard, over what the caller can see.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";

export const DashboardStats = z.object({
  totalCredentials: z.number().int(),
  activeSessions: z.number().int(),
  privilegedUsers: z.number().int(),
  /** Percent, an integer from 0 to 100; null when no secret is stored. */
  complianceScore: z.number().int().min(0).max(100).nullable(),
  /** The formula of the score, for the card's tooltip. */
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
  /** The page in the product that the alert links to. */
  link: z.string().nullable(),
});
export type DashboardAlert = z.infer<typeof DashboardAlert>;

export const listDashboardAlerts = endpoint({
  method: "GET",
  path: "/api/v1/dashboard/alerts",
  summary: "Alerts that need attention now, most severe first",
  reply: z.object({ alerts: z.array(DashboardAlert) }),
  needs: "dashboard.read",
  audit: "none",
});
