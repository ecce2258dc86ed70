// The Validation Dashboard's figures: how everything stands, what was tried, what is lent, kind of system by kind of system.
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
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { moment } from "#kernel/moment.ts";
import { countFailing, readActivity, readStanding, readSystems, readTried } from "./figures.store.ts";
import type { Standing, SystemStanding, Tried } from "./figures.store.ts";
import { countSessions, readJitTried } from "./jit.store.ts";
import type { Who } from "./seen.store.ts";
import type { Site } from "./validation.ts";
import { dayOf } from "./validation.jobs.ts";
import { DAYS, DAY_MS, rateOf, trendDays } from "./validation.policy.ts";

export async function readDashboard(site: Site, call: Call<typeof readValidationDashboard>, db: Db) {
  const { range } = call.query;
  const now = site.kernel.clock.now();
  const { actor } = call;
  const [standing, systems, failing, tried, jit_health] = await Promise.all([
    readStanding(db, actor, site.grants),
    readSystems(db, actor, site.grants),
    countFailing(db, actor, site.grants),
    readTried(db, actor, site.grants, { since: firstDay(now, trendDays(range)), now }),
    readJitHealth(site, db, actor, new Date(now.getTime() - DAYS[range] * DAY_MS)),
  ]);
  const { verified, failed, pending, neverTried } = standing;
  return {
    range,
    generated_at: now.toISOString(),
    validation_statistics: {
      ...statisticsOf(standing, tried, range, now),
      critical_failures: failing.get("critical") ?? 0,
    },
    status_distribution: [
      { status: "verified" as const, count: verified },
      { status: "pending" as const, count: pending },
      { status: "failed" as const, count: failed },
      { status: "never_validated" as const, count: neverTried },
    ],
    jit_health,
    systems: healthOf(systems, inRange(tried, range, now)),
  };
}

export async function readSystemHealth(
  { kernel, grants }: Site,
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
export async function readStatistics({ kernel, grants }: Site, { actor }: Call<typeof validationStatistics>, db: Db) {
  const now = kernel.clock.now();
  const [standing, tried] = await Promise.all([
    readStanding(db, actor, grants),
    readTried(db, actor, grants, { since: firstDay(now, 1), now }),
  ]);
  const statistics = statisticsOf(standing, tried, "24h", now);
  // What the reply's schema does not name stays here.
  return {
    ...statistics,
    success_rate: statistics.success_rate ?? 0,
    average_validation_time: statistics.average_validation_time ?? 0,
  };
}

/** API-95. */
export async function readStatus(
  { grants }: Site,
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

/** What was tried in a range, for reports, too. */
export function statisticsOf(
  standing: Standing,
  tried: readonly Tried[],
  range: ValidationRange,
  now: Date,
): Omit<ValidationStatistics, "critical_failures"> {
  const lastDay = sumOf(tried.filter(({ isOfLastDay }) => isOfLastDay));
  const ranged = sumOf(inRange(tried, range, now));
  return {
    total_accounts: standing.total,
    verified: standing.verified,
    pending: standing.pending,
    failed: standing.failed,
    never_validated: standing.neverTried,
    success_rate: rateOf(ranged.successes, ranged.attempts),
    average_validation_time: ranged.attempts === 0 ? null : Math.round(ranged.duration / ranged.attempts),
    weekly_trend: trendOf(tried, now, trendDays(range)),
    daily_validations: Math.round(ranged.attempts / DAYS[range]),
    last_24h_attempts: lastDay.attempts,
    last_24h_successes: lastDay.successes,
    last_24h_failures: lastDay.attempts - lastDay.successes,
  };
}

async function readJitHealth({ grants }: Site, db: Db, actor: Who, since: Date): Promise<JitHealthMetrics> {
  const [counts, tried] = await Promise.all([countSessions(db, actor, grants), readJitTried(db, actor, grants, since)]);
  return {
    active_sessions: counts.active,
    sessions_with_validation_issues: counts.with_issues,
    expiring_sessions_with_failures: counts.expiring,
    jit_validation_success_rate: rateOf(tried.successes, tried.attempts),
    average_jit_validation_time: tried.average === null ? null : Math.round(tried.average),
  };
}

/** When the first of so many UTC days began, of which today is the last. */
export const firstDay = (now: Date, days: number): Date => new Date(Date.parse(dayOf(now)) - (days - 1) * DAY_MS);

/** The last 24 hours are those; of longer ranges the days count, today among them. */
function inRange(tried: readonly Tried[], range: ValidationRange, now: Date): Tried[] {
  if (range === "24h") return tried.filter(({ isOfLastDay }) => isOfLastDay);
  const first = dayOf(firstDay(now, DAYS[range]));
  return tried.filter(({ isOfDay, day }) => isOfDay && day >= first);
}

function sumOf(tried: readonly Tried[]) {
  return tried.reduce(
    (sum, { attempts, successes, duration }) => ({
      attempts: sum.attempts + attempts,
      successes: sum.successes + successes,
      duration: sum.duration + duration,
    }),
    { attempts: 0, successes: 0, duration: 0 },
  );
}

function trendOf(tried: readonly Tried[], now: Date, days: number): TrendPoint[] {
  const byDay = Map.groupBy(
    tried.filter(({ isOfDay }) => isOfDay),
    ({ day }) => day,
  );
  return Array.from({ length: days }, (_, number) => {
    const date = dayOf(new Date(firstDay(now, days).getTime() + number * DAY_MS));
    const { attempts, successes } = sumOf(byDay.get(date) ?? []);
    return { date, attempts, successes, failures: attempts - successes, success_rate: rateOf(successes, attempts) };
  });
}

function healthOf(systems: readonly SystemStanding[], tried: readonly Tried[]): SystemHealthRow[] {
  const bySystem = Map.groupBy(tried, ({ system_type }) => system_type);
  return systems.map(({ system_type, total, verified, failed, last_validation }) => {
    const { attempts, successes } = sumOf(bySystem.get(system_type) ?? []);
    return {
      system_type,
      total_accounts: total,
      verified,
      failed,
      success_rate: rateOf(successes, attempts),
      last_validation: moment(last_validation),
    };
  });
}
