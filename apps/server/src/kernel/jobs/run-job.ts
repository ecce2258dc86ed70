// Runs one attempt of a job: passes the abort signal on and updates the job's run.
import type { JobWithMetadata } from "pg-boss";
import type { Database } from "#kernel/db/database.ts";
import type { Log } from "#kernel/log.ts";
import { beginRun, endRun, isCancelled, reportProgress } from "./job-runs.ts";

export interface Job<Data> {
  id: string;
  data: Data;
  /** The first attempt is 1. */
  attempt: number;
  /** Aborted when the job is cancelled, takes too long, was assigned to another process, or the server stops. */
  signal: AbortSignal;
  /** Reports the progress of a tracked job. It writes at most twice a second, so it may be called for every item. */
  progress(done: number, total?: number): Promise<void>;
}

/** Throws to have the job retried. The handler may run twice for one job, so it must be idempotent. */
export type JobHandler<Data> = (job: Job<Data>) => Promise<void>;

interface Site {
  database: Database;
  log: Log;
  stopping: AbortSignal;
}

const WATCH_INTERVAL = 1000;
const PROGRESS_INTERVAL = 500;

export async function runJob(
  job: JobWithMetadata<object>,
  isTracked: boolean,
  handler: JobHandler<object>,
  { database: { db }, log, stopping }: Site,
): Promise<void> {
  if (isTracked && !(await beginRun(db, job.id))) return;
  const cancelling = new AbortController();
  const signal = AbortSignal.any([job.signal, stopping, cancelling.signal]);
  const cancel = (): void => cancelling.abort(new Error("the job was cancelled"));
  const progress = isTracked ? progressOf(job.id) : null;

  function progressOf(id: string) {
    let latest: { done: number; total: number | undefined } | null = null;
    let writtenAt = 0;
    async function write(): Promise<void> {
      if (latest === null) return;
      const { done, total } = latest;
      latest = null;
      writtenAt = Date.now();
      if (await reportProgress(db, id, done, total)) cancel();
    }
    return {
      write,
      async report(done: number, total?: number): Promise<void> {
        latest = { done, total };
        if (Date.now() - writtenAt >= PROGRESS_INTERVAL) await write();
      },
    };
  }

  const watch = isTracked
    ? setInterval(() => {
        isCancelled(db, job.id).then(
          (is) => is && cancel(),
          (error: unknown) => log.warn({ err: error, job: job.name }, "could not check whether a job was cancelled"),
        );
      }, WATCH_INTERVAL)
    : undefined;

  try {
    await handler({
      id: job.id,
      data: job.data ?? {},
      attempt: job.retryCount + 1,
      signal,
      async progress(done, total) {
        if (progress === null) throw new Error(`${job.name} reports progress but is not tracked`);
        await progress.report(done, total);
      },
    });
    await progress?.write();
    if (isTracked) await endRun(db, job.id, cancelling.signal.aborted ? "cancelled" : "completed");
  } catch (error) {
    if (cancelling.signal.aborted) {
      // The job stopped as requested and is not retried.
      await endRun(db, job.id, "cancelled");
      return;
    }
    if (!stopping.aborted)
      log.warn({ err: error, job: job.name, id: job.id, attempt: job.retryCount + 1 }, "a job failed");
    if (isTracked) await endRun(db, job.id, job.retryCount < job.retryLimit ? "queued" : "failed");
    throw error;
  } finally {
    clearInterval(watch);
  }
}
