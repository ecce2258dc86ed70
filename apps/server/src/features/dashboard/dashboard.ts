// Reads the first page's four figures and its alerts, limited to what the caller may see.
import { ALERT_SEVERITIES, FIGURES } from "@strongroom/contract";
import type {
  DashboardAlert,
  DashboardStats,
  FailingStatus,
  Role,
  listDashboardAlerts,
  readDashboardStats,
} from "@strongroom/contract";
import { countLiveSessions } from "#features/sessions/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readCompliance } from "#features/figures/index.ts";
import type { GrantQueries } from "#features/figures/index.ts";
import { ENDS_WITHIN_MS, complianceScore, endingSeverity } from "./dashboard.policy.ts";
import { listEnding, listFailing } from "./dashboard.store.ts";

const MOST_ALERTS = 50;

export type CountActiveByRole = (db: Db) => Promise<Record<Role, number>>;

export interface DashboardContext {
  kernel: Kernel;
  countActiveByRole: CountActiveByRole;
  grants: GrantQueries;
}

export async function readStats(
  { kernel, countActiveByRole, grants }: DashboardContext,
  call: Call<typeof readDashboardStats>,
  db: Db,
): Promise<DashboardStats> {
  const [compliance, people, activeSessions] = await Promise.all([
    readCompliance(db, call.actor, grants, kernel.clock.now()),
    countActiveByRole(db),
    countLiveSessions(db, call.actor),
  ]);
  return {
    totalCredentials: compliance.total,
    // Live privileged sessions (OPEN-147).
    activeSessions,
    privilegedUsers: people.manager + people.admin,
    complianceScore: complianceScore(compliance),
    complianceFormula: FIGURES.complianceScore,
  };
}

export async function readAlerts(
  { kernel, grants }: DashboardContext,
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
        ? `The host key of "${each.name}" has changed. The connection may be intercepted.`
        : `${FAILED_WORDS[each.status]} for "${each.name}": ${each.message ?? "Unknown error"}`,
      severity: each.severity,
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

const FAILED_WORDS: Record<FailingStatus, string> = {
  rejected: "Login rejected",
  unreachable: "Target unreachable",
  misconfigured: "Verification misconfigured",
};

const placeOf = ({ id, isAccount }: { id: string; isAccount: boolean }): string =>
  isAccount ? `/accounts/${id}` : `/vault/${id}`;
