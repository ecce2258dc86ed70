// Computes the Validation Dashboard's figures: statuses, attempts, active grants and system types.
import type {
  JitHealthMetrics,
  ReplyOf,
  SystemHealthRow,
  TrendPoint,
  ValidationRange,
  ValidationStatistics,
  readSystemHealth as systemHealthEndpoint,
  readValidationDashboard,
  validationStatistics,
  validationStatus,
} from "@strongroom/contract";
import { VALIDATION_OF, VERIFICATION_STATUSES } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { moment } from "#kernel/moment.ts";
import { countFailing, readValidationCounts } from "#features/figures/index.ts";
import type { ValidationCounts, Viewer } from "#features/figures/index.ts";
import { readActivity, readSystems, readTried } from "./figures.store.ts";
import type { SystemCounts, Tried } from "./figures.store.ts";
import { countSessions, readJitTried } from "../history/jit.store.ts";
import type { ValidationContext } from "../validation.ts";
import { dayOf } from "../validation.jobs.ts";
import { DAYS, DAY_MS, rateOf, trendDays } from "../validation.policy.ts";

export async function readDashboard(context: ValidationContext, call: Call<typeof readValidationDashboard>, db: Db) {
  const { range } = call.query;
  const now = context.kernel.clock.now();
  const { actor } = call;
  const [standing, systems, failing, tried, jit_health] = await Promise.all([
    readValidationCounts(db, actor, context.grants),
    readSystems(db, actor, context.grants),
    countFailing(db, actor, context.grants),
    readTried(db, actor, context.grants, { since: firstDay(now, trendDays(range)), now }),
    readJitHealth(context, db, actor, new Date(now.getTime() - DAYS[range] * DAY_MS)),
  ]);
  return {
    range,
    generated_at: now.toISOString(),
    validation_statistics: {
      ...statisticsOf(standing, tried, range, now),
      critical_failures: failing.get("critical") ?? 0,
    },
    status_distribution: VERIFICATION_STATUSES.map((status) => ({
      status: VALIDATION_OF[status],
      count: standing[status],
    })),
    jit_health,
    systems: healthOf(systems, inRange(tried, range, now)),
  };
}

export async function readSystemHealth(
  { kernel, grants }: ValidationContext,
  { query, actor }: Call<typeof systemHealthEndpoint>,
  db: Db,
): Promise<{ systems: SystemHealthRow[] }> {
  const now = kernel.clock.now();
  const [systems, tried] = await Promise.all([
    readSystems(db, actor, grants),
    readTried(db, actor, grants, { since: firstDay(now, DAYS[query.range]), now }),
  ]);
  return { systems: healthOf(systems, inRange(tried, query.range, now)) };
}

/** DASH-13. */
export async function readStatistics(
  { kernel, grants }: ValidationContext,
  { actor }: Call<typeof validationStatistics>,
  db: Db,
) {
  const now = kernel.clock.now();
  const [standing, tried] = await Promise.all([
    readValidationCounts(db, actor, grants),
    readTried(db, actor, grants, { since: firstDay(now, 1), now }),
  ]);
  const statistics = statisticsOf(standing, tried, "24h", now);
  // The reply's schema drops the other fields.
  return {
    ...statistics,
    success_rate: statistics.success_rate ?? 0,
    average_validation_time: statistics.average_validation_time ?? 0,
  };
}

/** API-95. */
export async function readStatus(
  { grants }: ValidationContext,
  { actor }: Call<typeof validationStatus>,
  db: Db,
): Promise<ReplyOf<typeof validationStatus>> {
  const { underWay, last, next } = await readActivity(db, actor, grants);
  return {
    status: underWay > 0 ? "running" : "idle",
    under_way: underWay,
    last_attempt_at: moment(last),
    next_attempt_at: moment(next),
  };
}

/** The current figures, as statistics and exports name them. */
export const countsOf = (standing: ValidationCounts) => ({
  total_accounts: standing.total,
  verified: standing.verified,
  pending: standing.pending,
  failed: standing.failed,
  rejected: standing.rejected,
  unreachable: standing.unreachable,
  misconfigured: standing.misconfigured,
  never_validated: standing.untested,
});

/** Computes the statistics of a range, including those of reports. */
export function statisticsOf(
  standing: ValidationCounts,
  tried: readonly Tried[],
  range: ValidationRange,
  now: Date,
): Omit<ValidationStatistics, "critical_failures"> {
  const lastDay = sumOf(tried.filter(({ isOfLastDay }) => isOfLastDay));
  const ranged = sumOf(inRange(tried, range, now));
  return {
    ...countsOf(standing),
    success_rate: rateOf(ranged.successes, ranged.attempts),
    average_validation_time: ranged.attempts === 0 ? null : Math.round(ranged.duration / ranged.attempts),
    weekly_trend: trendOf(tried, now, trendDays(range)),
    daily_validations: Math.round(ranged.attempts / DAYS[range]),
    last_24h_attempts: lastDay.attempts,
    last_24h_successes: lastDay.successes,
    last_24h_failures: lastDay.attempts - lastDay.successes,
  };
}

async function readJitHealth(
  { grants }: ValidationContext,
  db: Db,
  actor: Viewer,
  since: Date,
): Promise<JitHealthMetrics> {
  const [counts, tried] = await Promise.all([countSessions(db, actor, grants), readJitTried(db, actor, grants, since)]);
  return {
    active_sessions: counts.active,
    sessions_with_validation_issues: counts.with_issues,
    expiring_sessions_with_failures: counts.expiring,
    jit_validation_success_rate: rateOf(tried.successes, tried.attempts),
    average_jit_validation_time: tried.average === null ? null : Math.round(tried.average),
  };
}

/** The start of the first of `days` UTC days, of which today is the last. */
export const firstDay = (now: Date, days: number): Date => new Date(Date.parse(dayOf(now)) - (days - 1) * DAY_MS);

/** For `24h`, the last 24 hours; for longer ranges, whole days including today. */
function inRange(tried: readonly Tried[], range: ValidationRange, now: Date): Tried[] {
  if (range === "24h") return tried.filter(({ isOfLastDay }) => isOfLastDay);
  const first = dayOf(firstDay(now, DAYS[range]));
  return tried.filter(({ isOfDay, day }) => isOfDay && day >= first);
}

function sumOf(tried: readonly Tried[]) {
  return tried.reduce(
    (sum, { attempts, successes, rejections, duration }) => ({
      attempts: sum.attempts + attempts,
      successes: sum.successes + successes,
      rejections: sum.rejections + rejections,
      duration: sum.duration + duration,
    }),
    { attempts: 0, successes: 0, rejections: 0, duration: 0 },
  );
}

function trendOf(tried: readonly Tried[], now: Date, days: number): TrendPoint[] {
  const byDay = Map.groupBy(
    tried.filter(({ isOfDay }) => isOfDay),
    ({ day }) => day,
  );
  return Array.from({ length: days }, (_, number) => {
    const date = dayOf(new Date(firstDay(now, days).getTime() + number * DAY_MS));
    const { attempts, successes, rejections } = sumOf(byDay.get(date) ?? []);
    const failures = attempts - successes;
    return { date, attempts, successes, failures, rejections, success_rate: rateOf(successes, attempts) };
  });
}

function healthOf(systems: readonly SystemCounts[], tried: readonly Tried[]): SystemHealthRow[] {
  const bySystem = Map.groupBy(tried, ({ system_type }) => system_type);
  return systems.map(({ system_type, total, verified, failed, rejected, last_validation }) => {
    const { attempts, successes } = sumOf(bySystem.get(system_type) ?? []);
    return {
      system_type,
      total_accounts: total,
      verified,
      failed,
      rejected,
      success_rate: rateOf(successes, attempts),
      last_validation: moment(last_validation),
    };
  });
}
