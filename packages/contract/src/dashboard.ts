// The figures and alerts of the dashboard, over what the caller can see.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AccountId, Moment } from "./fields.ts";

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
/** One cause that needs action. */
export const DashboardAlert = z.object({
  id: z.string(),
  message: z.string(),
  /** The worst of the secrets. */
  severity: z.enum(ALERT_SEVERITIES),
  /** The latest occurrence. */
  timestamp: Moment,
  /** How many secrets the cause affects. */
  count: z.number().int().min(1),
  /** What to do. */
  advice: z.string().nullable(),
  /** The page with exactly these secrets: a list, or the page of the only one. */
  link: z.string().nullable(),
});
export type DashboardAlert = z.infer<typeof DashboardAlert>;

export const listDashboardAlerts = endpoint({
  method: "GET",
  path: "/api/v1/dashboard/alerts",
  summary: "Problems that need action now, grouped by cause, most severe first",
  reply: z.object({ alerts: z.array(DashboardAlert) }),
  needs: "dashboard.read",
  audit: "none",
});

/** One day (UTC) of finished rotations. */
export const RotationDay = z.object({
  date: z.iso.date(),
  /** Ended with a new secret that works. */
  rotated: z.number().int(),
  /** Ended without one: cancelled or replaced. */
  other: z.number().int(),
});
export type RotationDay = z.infer<typeof RotationDay>;

export const readRotationTrend = endpoint({
  method: "GET",
  path: "/api/v1/dashboard/rotations",
  summary: "Rotations of the last 14 days, and those that wait for a decision, over what the caller can see",
  reply: z.object({
    /** Oldest first. */
    days: z.array(RotationDay),
    /** Rotations that stopped and wait for a decision. */
    stopped: z.number().int(),
    /** Accounts whose rotation is due soon or overdue. */
    due: z.number().int(),
  }),
  needs: "dashboard.read",
  audit: "none",
});

/** An account that the caller used and can still see. */
export const RecentAccount = z.object({
  id: AccountId,
  name: z.string(),
  hostname_ip: z.string().nullable(),
  username: z.string().nullable(),
  system_type: z.string(),
  safe_name: z.string(),
  /** The last use by the caller. */
  used_at: Moment,
});
export type RecentAccount = z.infer<typeof RecentAccount>;

export const listRecentAccounts = endpoint({
  method: "GET",
  path: "/api/v1/dashboard/recent-accounts",
  summary: "Up to six accounts that the caller used last: retrieved, checked out, requested or connected to",
  reply: z.object({ accounts: z.array(RecentAccount) }),
  needs: "dashboard.read",
  audit: "none",
});

/** What an administrator does in the first hour, in a sensible order. */
export const SETUP_STEPS = [
  "second-factor",
  "sign-up",
  "backups",
  "root-key",
  "people",
  "safe",
  "account",
  "verification",
  "provider",
] as const;
export const SetupStep = z.object({
  id: z.enum(SETUP_STEPS),
  /** Computed from the current state, so that a step can become open again. */
  is_done: z.boolean(),
  is_dismissed: z.boolean(),
});
export type SetupStep = z.infer<typeof SetupStep>;

const SetupChecklist = z.object({ steps: z.array(SetupStep) });

export const readSetup = endpoint({
  method: "GET",
  path: "/api/v1/dashboard/setup",
  summary: "The steps of setting up this installation, and which are done",
  reply: SetupChecklist,
  needs: "system.read",
  audit: "none",
});

export const dismissSetupStep = endpoint({
  method: "POST",
  path: "/api/v1/dashboard/setup/dismiss",
  summary: "Dismiss a step of the setup, or all that are open; or show it again",
  body: z.strictObject({ step: z.enum([...SETUP_STEPS, "all"]), is_dismissed: z.boolean().default(true) }),
  reply: SetupChecklist,
  needs: "system.manage",
  audit: "setup.step-dismissed",
  gives: "nothing",
});
