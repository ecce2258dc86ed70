// Figures over what a person sees: how it stands now, what was tried in a range, by day and by kind of system.
import { sql } from "kysely";
import { seesEverySafe } from "#features/safes/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { isSeen, seen, seenRows, severity, withAccount } from "./seen.store.ts";
import type { GrantQueries, Sql, Who } from "./seen.store.ts";
import { DAY_MS } from "./validation.policy.ts";

export interface Standing {
  total: number;
  verified: number;
  failed: number;
  /** Was tried, and nothing is known. */
  pending: number;
  neverTried: number;
}

export async function readStanding(db: Db, actor: Who, grants: GrantQueries): Promise<Standing> {
  const { rows } = await sql<{ status: string; count: number; tried: number }>`
    with ${seen(actor, grants)}
    select verification_status as status, count(*)::integer as count, count(last_verification_attempt)::integer as tried
    from ${seenRows(actor, sql`verification_status, last_verification_attempt`)} mine
    group by verification_status`.execute(db);
  const of = (status: string) => rows.find((row) => row.status === status) ?? { count: 0, tried: 0 };
  const pending = of("pending");
  return {
    total: rows.reduce((sum, { count }) => sum + count, 0),
    verified: of("verified").count,
    failed: of("failed").count,
    pending: pending.tried,
    neverTried: pending.count - pending.tried,
  };
}

export interface Activity {
  underWay: number;
  last: Date | null;
  next: Date | null;
}

/** What a dead process left open does not count as under way. */
export async function readActivity(db: Db, actor: Who, grants: GrantQueries): Promise<Activity> {
  const { rows } = await sql<Activity>`
    with ${seen(actor, grants)}, mine as materialized (
      select * from ${seenRows(actor, sql`credentials.id, last_verification_attempt, verify_after`)} mine)
    select max(last_verification_attempt) as last, min(verify_after) as next,
      (select count(*)::integer from verification_attempts attempt join mine on mine.id = attempt.credential_id
       where attempt.finished_at is null and attempt.lease_until > clock_timestamp()) as "underWay"
    from mine`.execute(db);
  return rows[0]!;
}

export interface SystemStanding {
  system_type: string;
  total: number;
  verified: number;
  failed: number;
  last_validation: Date | null;
}

/** From the index alone, which has no type: accounts have their own. */
const STATE = (type: Sql): Sql => sql`
  credentials.id, credentials.verification_status, credentials.last_verification_attempt, ${type} as type`;

/** Most first. */
export async function readSystems(db: Db, actor: Who, grants: GrantQueries): Promise<SystemStanding[]> {
  const { rows } = await sql<SystemStanding>`
    with ${seen(actor, grants)}
    select coalesce(accounts.system_type, mine.type) as system_type, count(*)::integer as total,
      (count(*) filter (where mine.verification_status = 'verified'))::integer as verified,
      (count(*) filter (where mine.verification_status = 'failed'))::integer as failed,
      max(mine.last_verification_attempt) as last_validation
    from ${seenRows(actor, STATE(sql`null::text`), STATE(sql`credentials.type`))} mine
    left join accounts on accounts.id = mine.id
    group by 1 order by 2 desc, 1`.execute(db);
  return rows;
}

/** What fails now, by how grave that is. */
export async function countFailing(db: Db, actor: Who, grants: GrantQueries): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ severity: string; count: number }>`
    with ${seen(actor, grants)}
    select ${severity} as severity, count(*)::integer as count
    from credentials ${withAccount}
    where credentials.verification_status = 'failed' and ${isSeen(actor)}
    group by 1`.execute(db);
  return new Map(rows.map((row) => [row.severity, row.count]));
}

/** Administrators see the attempts on every account, so their accounts need not be looked at. */
const ofAttempts = (actor: Who): Sql =>
  seesEverySafe(actor)
    ? sql`left join accounts on accounts.id = attempt.credential_id`
    : sql`join ${seenRows(actor, sql`credentials.id`)} mine on mine.id = attempt.credential_id
      left join accounts on accounts.id = attempt.credential_id`;

const isAttemptSeen = (actor: Who): Sql =>
  seesEverySafe(actor) ? sql`(attempt.user_id = ${actor.id} or attempt.user_id is null)` : sql`true`;

/** What was tried on a kind of system on a UTC day. */
export interface Tried {
  /** Such as `2026-11-21`. */
  day: string;
  system_type: string;
  /** Counts for that day. */
  isOfDay: boolean;
  /** Counts for the last 24 hours. */
  isOfLastDay: boolean;
  attempts: number;
  successes: number;
  /** Milliseconds, of all of them together. */
  duration: number;
}

/**
 * What was tried since that UTC day began and in the last 24 hours. Days that are over were summed up (`validation_days`),
 * without what is lent from other safes; the rest is read from the attempts themselves.
 */
export async function readTried(
  db: Db,
  actor: Who,
  grants: GrantQueries,
  { since, now }: { since: Date; now: Date },
): Promise<Tried[]> {
  const lastDay = sql`${new Date(now.getTime() - DAY_MS)}::timestamptz`;
  const ofSafes = seesEverySafe(actor) ? sql`true` : sql`summed.safe_id in (select safe_id from visible)`;
  const { rows } = await sql<Tried>`
    with ${seen(actor, grants)},
    done as materialized (select coalesce((select through from validation_days_done), '1970-01-01') as through),
    live as (
      select (attempt.started_at at time zone 'UTC')::date as day, attempt.started_at >= ${lastDay} as is_of_last_day,
        coalesce(accounts.system_type, attempt.type) as system_type, count(*)::integer as attempts,
        (count(*) filter (where attempt.outcome = 'verified'))::integer as successes,
        coalesce(sum(attempt.duration_ms), 0)::float8 as duration
      from verification_attempts attempt
      ${ofAttempts(actor)}
      where attempt.started_at >= least(${lastDay}, greatest(
          ${since}::timestamptz, ((select through from done) + 1)::timestamp at time zone 'UTC'))
        and attempt.outcome <> 'unsupported' and ${isAttemptSeen(actor)}
      group by 1, 2, 3
    )
    select day::text, system_type, day > (select through from done) as "isOfDay", is_of_last_day as "isOfLastDay",
      attempts, successes, duration
    from live
    union all
    select summed.day::text, summed.system_type, true, false, sum(summed.attempts)::integer,
      sum(summed.successes)::integer, sum(summed.duration_ms)::float8
    from validation_days summed
    where summed.day >= (${since}::timestamptz at time zone 'UTC')::date and summed.day <= (select through from done)
      and (summed.user_id = ${actor.id} or summed.safe_id is not null and ${ofSafes})
    group by 1, 2`.execute(db);
  return rows;
}

export interface Period {
  start: Date;
  end: Date;
}

/** What was tried in a period, as long as attempts are kept. */
export async function countTried(
  db: Db,
  actor: Who,
  grants: GrantQueries,
  { start, end }: Period,
): Promise<{ attempts: number; successes: number }> {
  const { rows } = await sql<{ attempts: number; successes: number }>`
    with ${seen(actor, grants)}
    select count(*)::integer as attempts, (count(*) filter (where attempt.outcome = 'verified'))::integer as successes
    from verification_attempts attempt ${ofAttempts(actor)}
    where attempt.started_at >= ${start} and attempt.started_at < ${end} and attempt.outcome <> 'unsupported'
      and ${isAttemptSeen(actor)}`.execute(db);
  return rows[0]!;
}
