// Reads job states from the queue's tables for display. Never reads job data, which may name private objects.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";

export interface QueueRow {
  name: string;
  waiting: number;
  scheduled: number;
  active: number;
  failed: number;
  oldest_waiting_at: Date | null;
  last_completed_at: Date | null;
  last_failed_at: Date | null;
}

/** Queues without a job are left out. */
export async function countQueues(db: Db): Promise<QueueRow[]> {
  const { rows } = await sql<QueueRow>`
    select name,
           count(*) filter (where state < 'active' and start_after <= now()) as waiting,
           count(*) filter (where state < 'active' and start_after > now()) as scheduled,
           count(*) filter (where state = 'active') as active,
           count(*) filter (where state = 'failed') as failed,
           min(start_after) filter (where state < 'active' and start_after <= now()) as oldest_waiting_at,
           max(completed_on) filter (where state = 'completed') as last_completed_at,
           max(completed_on) filter (where state = 'failed') as last_failed_at
    from jobs.job group by name`.execute(db);
  return rows;
}

export const JOB_PHASES = ["waiting", "scheduled", "active", "completed", "failed", "cancelled"] as const;
export type JobPhase = (typeof JOB_PHASES)[number];

export interface JobRow {
  id: string;
  queue: string;
  state: JobPhase;
  retry_count: number;
  created_on: Date;
  started_on: Date | null;
  completed_on: Date | null;
  /** The first line of the error. */
  error: string | null;
  done: number | null;
  total: number | null;
}

export interface JobRequest {
  limit: number;
  after: TimePlace | null;
  /** Null includes all queues, even internal ones. */
  queues: readonly string[] | null;
  state: JobPhase | null;
  id?: string;
}

const phase = sql<JobPhase>`case when job.state < 'active'
  then case when job.start_after <= now() then 'waiting' else 'scheduled' end else job.state::text end`;
const created = sql`date_trunc('milliseconds', job.created_on)`;

/** The newest job comes first. */
export async function findJobs(db: Db, { limit, after, queues, state, id }: JobRequest): Promise<JobRow[]> {
  const conditions = [
    sql`true`,
    ...(id === undefined ? [] : [sql`job.id = ${id}`]),
    ...(queues === null ? [] : [sql`job.name = any(${[...queues]}::text[])`]),
    ...(state === null ? [] : [sql`${phase} = ${state}`]),
    ...(after === null ? [] : [sql`(${created}, job.id) < (${after.at}, ${after.id}::uuid)`]),
  ];
  const { rows } = await sql<JobRow>`
    select job.id, job.name as queue, ${phase} as state, job.retry_count, job.created_on, job.started_on,
           job.completed_on, left(split_part(job.output ->> 'message', chr(10), 1), 300) as error, run.done, run.total
    from jobs.job left join job_runs run on run.id = job.id
    where ${sql.join(conditions, sql` and `)}
    order by ${created} desc, job.id desc limit ${limit}`.execute(db);
  return rows;
}
