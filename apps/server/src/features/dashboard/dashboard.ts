// Reads the figures of the dashboard, the trend of rotations and the caller's recent accounts.
import { AccountId, FIGURES } from "@strongroom/contract";
import type {
  DashboardStats,
  ReplyOf,
  Role,
  listRecentAccounts,
  readDashboardStats,
  readRotationTrend,
} from "@strongroom/contract";
import { accountsDueForRotation } from "#features/accounts/index.ts";
import { countLiveSessions } from "#features/sessions/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readCompliance } from "#features/figures/index.ts";
import type { GrantQueries } from "#features/figures/index.ts";
import { complianceScore } from "./dashboard.policy.ts";
import { countRotationWork, countRotations, listRecent } from "./dashboard.store.ts";

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

const DAY_MS = 86_400_000;
const TREND_DAYS = 14;

export async function readTrend(
  { kernel, grants }: DashboardContext,
  { actor }: Call<typeof readRotationTrend>,
  db: Db,
): Promise<ReplyOf<typeof readRotationTrend>> {
  const today = Math.floor(kernel.clock.now().getTime() / DAY_MS);
  const first = today - TREND_DAYS + 1;
  const [counts, work] = await Promise.all([
    countRotations(db, actor, grants, new Date(first * DAY_MS)),
    countRotationWork(db, actor, grants, accountsDueForRotation()),
  ]);
  const byDate = new Map(counts.map((counted) => [counted.date, counted]));
  const days = Array.from({ length: TREND_DAYS }, (_, index) => {
    const date = new Date((first + index) * DAY_MS).toISOString().slice(0, 10);
    return byDate.get(date) ?? { date, rotated: 0, other: 0 };
  });
  return { days, ...work };
}

const MOST_RECENT = 6;

export async function readRecent(
  { grants }: DashboardContext,
  { actor }: Call<typeof listRecentAccounts>,
  db: Db,
): Promise<ReplyOf<typeof listRecentAccounts>> {
  const rows = await listRecent(db, actor, grants, MOST_RECENT);
  return {
    accounts: rows.map(({ id, host, used_at, ...row }) => ({
      ...row,
      id: AccountId.parse(id),
      hostname_ip: host,
      used_at: used_at.toISOString(),
    })),
  };
}
