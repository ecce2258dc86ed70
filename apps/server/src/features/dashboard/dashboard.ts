// The first page: four figures and the alerts, over what the caller may see.
import { ALERT_SEVERITIES } from "@strongroom/contract";
import type {
  DashboardAlert,
  DashboardStats,
  Role,
  listDashboardAlerts,
  readDashboardStats,
} from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { listEnding, listFailing, readStanding } from "#features/verification/index.ts";
import {
  COMPLIANCE_FORMULA,
  ENDS_WITHIN_MS,
  VERIFIED_WITHIN_MS,
  complianceScore,
  endingSeverity,
  failureSeverity,
} from "./dashboard.policy.ts";

const MOST_ALERTS = 50;

export type CountActiveByRole = (db: Db) => Promise<Record<Role, number>>;

export async function readStats(
  kernel: Kernel,
  call: Call<typeof readDashboardStats>,
  db: Db,
  countActiveByRole: CountActiveByRole,
): Promise<DashboardStats> {
  const since = new Date(kernel.clock.now().getTime() - VERIFIED_WITHIN_MS);
  const [standing, people] = await Promise.all([readStanding(db, call.actor, since), countActiveByRole(db)]);
  return {
    totalCredentials: standing.total,
    // Live privileged sessions (OPEN-147). Nothing opens one yet.
    activeSessions: 0,
    privilegedUsers: people.manager + people.admin,
    complianceScore: complianceScore(standing),
    complianceFormula: COMPLIANCE_FORMULA,
  };
}

export async function readAlerts(
  kernel: Kernel,
  call: Call<typeof listDashboardAlerts>,
  db: Db,
): Promise<{ alerts: DashboardAlert[] }> {
  const now = kernel.clock.now();
  const [failing, ending] = await Promise.all([
    listFailing(db, call.actor, MOST_ALERTS),
    listEnding(db, call.actor, new Date(now.getTime() + ENDS_WITHIN_MS), MOST_ALERTS),
  ]);
  const alerts: DashboardAlert[] = [
    ...failing.map((each) => ({
      id: `verification:${each.id}`,
      message: each.isAlarm
        ? `The host key of "${each.name}" has changed: somebody may be in between`
        : `Verification failed for "${each.name}": ${each.message ?? "Unknown error"}`,
      severity: failureSeverity(each),
      timestamp: (each.attemptedAt ?? now).toISOString(),
      link: `/vault/${each.id}`,
    })),
    ...ending.map((each) => ({
      id: `expiry:${each.id}`,
      message: `"${each.name}" ${each.expiresAt < now ? "expired" : "expires"} on ${each.expiresAt.toISOString().slice(0, 10)}`,
      severity: endingSeverity(each.expiresAt, now),
      timestamp: each.expiresAt.toISOString(),
      link: `/vault/${each.id}`,
    })),
  ];
  const rank = (alert: DashboardAlert) => ALERT_SEVERITIES.indexOf(alert.severity);
  return { alerts: alerts.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_ALERTS) };
}
