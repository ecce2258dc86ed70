// Lists queues and jobs for administrators and retries failed jobs.
import type { JobQueue, JobRun, listJobs, retryJob } from "@strongroom/contract";
import { JobId } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { countQueues, findJobs } from "#kernel/jobs/queue-rows.ts";
import type { JobRow, QueueRow } from "#kernel/jobs/queue-rows.ts";
import type { Kernel } from "#kernel/kernel.ts";

/** Every queue that this server knows, sorted by name, with its job counts. */
export async function readQueues({ jobs }: Kernel, db: Db): Promise<JobQueue[]> {
  const rows = new Map((await countQueues(db)).map((row) => [row.name, row]));
  return [...jobs.known()]
    .map(([name, { schedule }]) => ({ ...shownQueue(rows.get(name)), name, schedule }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const shownQueue = (row: QueueRow | undefined) => ({
  waiting: row?.waiting ?? 0,
  scheduled: row?.scheduled ?? 0,
  active: row?.active ?? 0,
  failed: row?.failed ?? 0,
  oldest_waiting_at: row?.oldest_waiting_at?.toISOString() ?? null,
  last_completed_at: row?.last_completed_at?.toISOString() ?? null,
  last_failed_at: row?.last_failed_at?.toISOString() ?? null,
});

export async function readJobs({ jobs }: Kernel, { query }: Call<typeof listJobs>, db: Db) {
  const after = query.cursor === undefined ? null : readTimePlace(query.cursor);
  // Excludes the job library's internal queues.
  const names = query.queue === undefined ? [...jobs.known().keys()] : [query.queue];
  const wish = { limit: query.limit + 1, after, queues: names, state: query.state ?? null };
  const rows = await findJobs(db, wish);
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  return {
    data: shown.map((row) => shownJob(row, mayRetry(jobs, row))),
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.created_on, id: last.id }),
  };
}

export async function retry({ jobs }: Kernel, call: Call<typeof retryJob>, tx: Tx): Promise<JobRun> {
  const row = await findOne(tx, call.params.id);
  call.note({ target: { type: "job", id: row.id, name: row.queue } });
  if (!mayRetry(jobs, row)) throw notRetried();
  const isQueued = await jobs.retry(tx, row.queue, row.id).catch((error: unknown) => {
    // unique_violation: the queue allows one job of this kind at a time, and one is already waiting.
    if ((error as { code?: string }).code === "23505") return false;
    throw error;
  });
  if (!isQueued) throw notRetried();
  return shownJob(await findOne(tx, row.id), false);
}

const notRetried = () =>
  refuse(
    409,
    "job.not-retried",
    "Only a failed job can be retried, and only while no other job of its kind is queued.",
  );

async function findOne(db: Db, id: string): Promise<JobRow> {
  const [row] = await findJobs(db, { limit: 1, after: null, queues: null, state: null, id });
  if (row === undefined) throw refuse(404, "job.not-found", "Job not found");
  return row;
}

/** Users start tracked jobs again themselves. All other jobs are safe to retry. */
const mayRetry = (jobs: Kernel["jobs"], row: JobRow): boolean =>
  row.state === "failed" && jobs.known().get(row.queue)?.isTracked === false;

const shownJob = (row: JobRow, canRetry: boolean): JobRun => ({
  id: JobId.parse(row.id),
  queue: row.queue,
  state: row.state,
  attempts: row.started_on === null ? 0 : row.retry_count + 1,
  created_at: row.created_on.toISOString(),
  started_at: row.started_on?.toISOString() ?? null,
  ended_at: row.completed_on?.toISOString() ?? null,
  error: row.state === "completed" ? null : row.error,
  progress: row.done === null ? null : { done: row.done, total: row.total },
  may_retry: canRetry,
});
