// Stores daily totals of attempts, so that computing trends does not read every attempt again.
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface ValidationDaysDoneTable {
  through: string;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    validation_days_done: ValidationDaysDoneTable;
  }
}

/** The first day with attempts that has not been summed up; null without attempts. */
export async function firstOpenDay(db: Db): Promise<string | null> {
  const { rows } = await sql<{ day: string | null }>`
    select coalesce(
      (select through + 1 from validation_days_done),
      (select (min(started_at) at time zone 'UTC')::date from verification_attempts)
    )::text as day`.execute(db);
  return rows[0]?.day ?? null;
}

/** Sums up a day once, even if several processes call this function repeatedly. */
export async function sumUp(tx: Tx, day: string): Promise<void> {
  await sql`lock table validation_days_done in exclusive mode`.execute(tx);
  const done = await sql`select from validation_days_done where through >= ${day}::date`.execute(tx);
  if (done.rows.length > 0) return;
  await sql`
    insert into validation_days (day, safe_id, user_id, system_type, attempts, successes, rejections, duration_ms)
    select ${day}::date, credentials.safe_id, credentials.user_id, coalesce(accounts.system_type, attempt.type),
      count(*), count(*) filter (where attempt.outcome = 'verified'),
      count(*) filter (where attempt.outcome = 'rejected'), coalesce(sum(attempt.duration_ms), 0)
    from verification_attempts attempt
    join credentials on credentials.id = attempt.credential_id
    left join accounts on accounts.id = credentials.id
    where attempt.started_at >= ${day}::date::timestamp at time zone 'UTC'
      and attempt.started_at < (${day}::date + 1)::timestamp at time zone 'UTC'
      and attempt.outcome not in ('unsupported', 'aborted')
    group by 2, 3, 4`.execute(tx);
  await sql`delete from validation_days_done`.execute(tx);
  await sql`insert into validation_days_done (through) values (${day}::date)`.execute(tx);
}

/** Deletes days before `before`, which no range includes. */
export async function forgetDays(tx: Tx, before: Date): Promise<void> {
  await sql`delete from validation_days where day < ${before}::date`.execute(tx);
}

/** Deletes the daily totals of a user who is being deleted. */
export async function forgetDaysOf(tx: Tx, userId: string): Promise<void> {
  await sql`delete from validation_days where user_id = ${userId}`.execute(tx);
}
