// Rows that hold the progress of tracked jobs and requests to cancel them.
import { sql } from "kysely";
import type { Database, Db, Tx } from "#kernel/db/database.ts";

/** How long runs are kept after they end. */
const KEPT = "7 days";

export async function insertRun(tx: Tx, id: string, name: string, total: number | null): Promise<void> {
  await tx
    .insertInto("job_runs")
    .values({ id, name, total, cancel_requested_at: null, started_at: null, ended_at: null })
    .execute();
}

/** Returns false if the run has ended or is unknown. */
export async function cancelRun(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("job_runs")
    .set({
      cancel_requested_at: sql<Date>`coalesce(cancel_requested_at, now())`,
      state: sql`case state when 'queued' then 'cancelled' else state end`,
      ended_at: sql<Date | null>`case state when 'queued' then now() end`,
    })
    .where("id", "=", id)
    .where("state", "in", ["queued", "running"])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns false if the run was cancelled before. */
export async function beginRun(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("job_runs")
    .set({ state: "running", done: 0, started_at: sql<Date>`now()` })
    .where("id", "=", id)
    .where("state", "in", ["queued", "running"])
    .where("cancel_requested_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function endRun(
  db: Db,
  id: string,
  state: "completed" | "failed" | "cancelled" | "queued",
): Promise<void> {
  await db
    .updateTable("job_runs")
    .set({ state, ended_at: state === "queued" ? null : sql<Date>`now()` })
    .where("id", "=", id)
    .execute();
}

/** Saves the progress and returns whether cancellation was requested. */
export async function reportProgress(db: Db, id: string, done: number, total: number | undefined): Promise<boolean> {
  const row = await db
    .updateTable("job_runs")
    .set({ done, ...(total === undefined ? {} : { total }) })
    .where("id", "=", id)
    .returning("cancel_requested_at")
    .executeTakeFirst();
  return row !== undefined && row.cancel_requested_at !== null;
}

export async function isCancelled(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom("job_runs").select("cancel_requested_at").where("id", "=", id).executeTakeFirst();
  return row === undefined || row.cancel_requested_at !== null;
}

/**
 * Ends the runs of jobs that failed permanently outside their handler (their process was killed too often), and deletes old runs.
 */
export async function cleanRuns({ db }: Database): Promise<void> {
  await sql`
    update job_runs set state = 'failed', ended_at = now()
    where state in ('queued', 'running') and not exists (
      select from jobs.job where job.id = job_runs.id and job.name = job_runs.name and job.state <= 'active'
    ) and created_at < now() - interval '1 minute'`.execute(db);
  await db
    .deleteFrom("job_runs")
    .where("ended_at", "<", sql<Date>`now() - ${KEPT}::interval`)
    .execute();
}
