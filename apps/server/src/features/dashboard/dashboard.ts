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
import type { GrantQueries } from "#features/validation/index.ts";
import {
  COMPLIANCE_FORMULA,
  ENDS_WITHIN_MS,
  VERIFIED_WITHIN_MS,
  complianceScore,
  endingSeverity,
  failureSeverity,
} from "./dashboard.policy.ts";
import { listEnding, listFailing, readFigures } from "./dashboard.store.ts";

const MOST_ALERTS = 50;

export type CountActiveByRole = (db: Db) => Promise<Record<Role, number>>;

export interface Site {
  kernel: Kernel;
  countActiveByRole: CountActiveByRole;
  grants: GrantQueries;
}

export async function readStats(
  { kernel, countActiveByRole, grants }: Site,
  call: Call<typeof readDashboardStats>,
  db: Db,
): Promise<DashboardStats> {
  const since = new Date(kernel.clock.now().getTime() - VERIFIED_WITHIN_MS);
  const [figures, people] = await Promise.all([readFigures(db, call.actor, grants, since), countActiveByRole(db)]);
  return {
    totalCredentials: figures.total,
    // Live privileged sessions (OPEN-147). Nothing opens one yet.
    activeSessions: 0,
    privilegedUsers: people.manager + people.admin,
    complianceScore: complianceScore(figures),
    complianceFormula: COMPLIANCE_FORMULA,
  };
}

export async function readAlerts(
  { kernel, grants }: Site,
  call: Call<typeof listDashboardAlerts>,
  db: Db,
): Promise<{ alerts: DashboardAlert[] }> {
  const now = kernel.clock.now();
  const [failing, ending] = await Promise.all([
    listFailing(db, call.actor, grants, MOST_ALERTS),
    listEnding(db, call.actor, grants, { before: new Date(now.getTime() + ENDS_WITHIN_MS), limit: MOST_ALERTS }),
  ]);
  const alerts: DashboardAlert[] = [
    ...failing.map((each) => ({
      id: `verification:${each.id}`,
      message: each.isAlarm
        ? `The host key of "${each.name}" has changed: somebody may be in between`
        : `Verification failed for "${each.name}": ${each.message ?? "Unknown error"}`,
      severity: failureSeverity(each),
      timestamp: (each.attemptedAt ?? now).toISOString(),
      link: placeOf(each),
    })),
    ...ending.map((each) => ({
      id: `expiry:${each.id}`,
      message: `"${each.name}" ${each.expiresAt < now ? "expired" : "expires"} on ${each.expiresAt.toISOString().slice(0, 10)}`,
      severity: endingSeverity(each.expiresAt, now),
      timestamp: each.expiresAt.toISOString(),
      link: placeOf(each),
    })),
  ];
  const rank = (alert: DashboardAlert) => ALERT_SEVERITIES.indexOf(alert.severity);
  return { alerts: alerts.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_ALERTS) };
}

const placeOf = ({ id, isAccount }: { id: string; isAccount: boolean }): string =>
  isAccount ? `/accounts/${id}` : `/vault/${id}`;
