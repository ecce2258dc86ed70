// Reads the figures of the validation screens: running attempts, and results in a range by day and system type.
import { sql } from "kysely";
import { isFailingRow } from "#features/secrets/index.ts";
import { seesEverySafe } from "#features/safes/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { visibleSecrets, visibleRows } from "#features/figures/index.ts";
import type { GrantQueries, Sql, Viewer } from "#features/figures/index.ts";
import { DAY_MS } from "../validation.policy.ts";

export interface Activity {
  underWay: number;
  last: Date | null;
  next: Date | null;
}

/** Abandoned attempts do not count as running. */
export async function readActivity(db: Db, actor: Viewer, grants: GrantQueries): Promise<Activity> {
  const { rows } = await sql<Activity>`
    with ${visibleSecrets(actor, grants)}, mine as materialized (
      select * from ${visibleRows(actor, sql`credentials.id, last_verification_attempt, verify_after`)} mine)
    select max(last_verification_attempt) as last, min(verify_after) as next,
      (select count(*)::integer from verification_attempts attempt join mine on mine.id = attempt.credential_id
       where attempt.finished_at is null and attempt.lease_until > clock_timestamp()) as "underWay"
    from mine`.execute(db);
  return rows[0]!;
}

export interface SystemCounts {
  system_type: string;
  total: number;
  verified: number;
  failed: number;
  rejected: number;
  last_validation: Date | null;
}

/** The columns of an index-only scan. The index has no type for accounts, because accounts have their own type. */
const STATE = (type: Sql): Sql => sql`
  credentials.id, credentials.verification_status, credentials.last_verification_attempt, ${type} as type`;

/** The largest total comes first. */
export async function readSystems(db: Db, actor: Viewer, grants: GrantQueries): Promise<SystemCounts[]> {
  const { rows } = await sql<SystemCounts>`
    with ${visibleSecrets(actor, grants)}
    select coalesce(accounts.system_type, credentials.type) as system_type, count(*)::integer as total,
      (count(*) filter (where credentials.verification_status = 'verified'))::integer as verified,
      (count(*) filter (where ${isFailingRow}))::integer as failed,
      (count(*) filter (where credentials.verification_status = 'rejected'))::integer as rejected,
      max(credentials.last_verification_attempt) as last_validation
    from ${visibleRows(actor, STATE(sql`null::text`), STATE(sql`credentials.type`))} credentials
    left join accounts on accounts.id = credentials.id
    group by 1 order by 2 desc, 1`.execute(db);
  return rows;
}

/** Administrators see the attempts on every account, so their query needs no visibility check. */
const ofAttempts = (actor: Viewer): Sql =>
  seesEverySafe(actor)
    ? sql`left join accounts on accounts.id = attempt.credential_id`
    : sql`join ${visibleRows(actor, sql`credentials.id`)} mine on mine.id = attempt.credential_id
      left join accounts on accounts.id = attempt.credential_id`;

const isAttemptSeen = (actor: Viewer): Sql =>
  seesEverySafe(actor) ? sql`(attempt.user_id = ${actor.id} or attempt.user_id is null)` : sql`true`;

/** Attempts on one system type on one UTC day. */
export interface Tried {
  /** A date such as `2026-11-21`. */
  day: string;
  system_type: string;
  /** Whether the counts are for that day. */
  isOfDay: boolean;
  /** Whether the counts are for the last 24 hours. */
  isOfLastDay: boolean;
  attempts: number;
  successes: number;
  /** The number of logins that the target rejected. */
  rejections: number;
  /** The total duration of all attempts in milliseconds. */
  duration: number;
}

/**
 * Counts attempts since the start of the UTC day `since` and in the last 24 hours. Past days come from the totals in
 * `validation_days`, which exclude accounts granted from other safes. The other days come from the attempts themselves.
 */
export async function readTried(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  { since, now }: { since: Date; now: Date },
): Promise<Tried[]> {
  const lastDay = sql`${new Date(now.getTime() - DAY_MS)}::timestamptz`;
  const ofSafes = seesEverySafe(actor) ? sql`true` : sql`summed.safe_id in (select safe_id from visible)`;
  const { rows } = await sql<Tried>`
    with ${visibleSecrets(actor, grants)},
    done as materialized (select coalesce((select through from validation_days_done), '1970-01-01') as through),
    live as (
      select (attempt.started_at at time zone 'UTC')::date as day, attempt.started_at >= ${lastDay} as is_of_last_day,
        coalesce(accounts.system_type, attempt.type) as system_type, count(*)::integer as attempts,
        (count(*) filter (where attempt.outcome = 'verified'))::integer as successes,
        (count(*) filter (where attempt.outcome = 'rejected'))::integer as rejections,
        coalesce(sum(attempt.duration_ms), 0)::float8 as duration
      from verification_attempts attempt
      ${ofAttempts(actor)}
      where attempt.started_at >= least(${lastDay}, greatest(
          ${since}::timestamptz, ((select through from done) + 1)::timestamp at time zone 'UTC'))
        and attempt.outcome not in ('unsupported', 'aborted') and ${isAttemptSeen(actor)}
      group by 1, 2, 3
    )
    select day::text, system_type, day > (select through from done) as "isOfDay", is_of_last_day as "isOfLastDay",
      attempts, successes, rejections, duration
    from live
    union all
    select summed.day::text, summed.system_type, true, false, sum(summed.attempts)::integer,
      sum(summed.successes)::integer, sum(summed.rejections)::integer, sum(summed.duration_ms)::float8
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

/** Counts attempts in a period, except those that are too old to be kept. */
export async function countTried(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  { start, end }: Period,
): Promise<{ attempts: number; successes: number }> {
  const { rows } = await sql<{ attempts: number; successes: number }>`
    with ${visibleSecrets(actor, grants)}
    select count(*)::integer as attempts, (count(*) filter (where attempt.outcome = 'verified'))::integer as successes
    from verification_attempts attempt ${ofAttempts(actor)}
    where attempt.started_at >= ${start} and attempt.started_at < ${end} and attempt.outcome not in ('unsupported', 'aborted')
      and ${isAttemptSeen(actor)}`.execute(db);
  return rows[0]!;
}
