// Background jobs, queued in the caller's transaction and run by any free process.
import type { JobWithMetadata, PgBoss } from "pg-boss";
import { fromKysely } from "pg-boss";
import { sql } from "kysely";
import type { Database, Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { Log } from "#kernel/log.ts";
import { groupSlots } from "./group-slots.ts";
import { cancelRun, cleanRuns, insertRun } from "./job-runs.ts";
import { openQueue } from "./queue.ts";
import type { Queue } from "./queue.ts";
import { runJob } from "./run-job.ts";
import type { JobHandler } from "./run-job.ts";

export interface JobOptions {
  /** How many jobs of this name run concurrently in one process; default 1, or 0 if the process only queues them. */
  concurrency?: number;
  /**
   * How many jobs of one `group` (see `EnqueueOptions`) run concurrently. The limit is strict in one process; two processes that
   * request a job at the same moment may exceed it. Work that must never run twice at once needs its own database lock.
   */
  groupConcurrency?: number;
  /**
   * The meaning of `singletonKey`. `standard` (default): none. `exclusive`: at most one waiting or running job per key. Jobs without
   * a key count as having the same key.
   */
  policy?: "standard" | "exclusive";
  /** The number of retries after a failure; default 2. */
  retryLimit?: number;
  /** Seconds before the first retry, doubled for each retry after that; default 5. */
  retryDelay?: number;
  /** Seconds that one attempt may take before it counts as failed; default 3600, at most a day. */
  timeout?: number;
  /** Maintains a row of `job_runs` with each job's progress, so that users can watch and cancel it. */
  isTracked?: boolean;
  /** A cron expression (UTC): the job is also queued at these times, once for all processes, without data. */
  schedule?: string;
}

export interface EnqueueOptions {
  singletonKey?: string;
  group?: string;
  /** The earliest start time. */
  startAfter?: Date;
  /** Higher values run first; default 0. */
  priority?: number;
  /** The total of a tracked job, if known in advance. */
  total?: number;
}

export interface Jobs {
  /** Defines the handler for jobs of this name. Call it before `start`, once per name. */
  define<Data extends object>(name: string, options: JobOptions, handler: JobHandler<Data>): void;
  /**
   * Queues a job in the caller's transaction and returns its id (a UUID), or null if the policy finds an existing job with this
   * `singletonKey`. A rollback discards the job. `data` is stored in plain text, so it must contain no secrets.
   */
  enqueue(tx: Tx, name: string, data: object, options?: EnqueueOptions): Promise<string | null>;
  /**
   * Cancels a tracked job: a waiting job never starts, and a running job is aborted by its signal. Returns false if the job has
   * ended.
   */
  cancel(tx: Tx, id: string): Promise<boolean>;
  /**
   * Retries a permanently failed job. Returns false if no job with this id is in that state, if the job's name is unknown here,
   * if the job is tracked (users start such work again), or if its policy finds another job.
   */
  retry(tx: Tx, name: string, id: string): Promise<boolean>;
  /** The defined jobs, by name. */
  known(): ReadonlyMap<string, { isTracked: boolean; schedule: string | null }>;
  start(): Promise<void>;
  /**
   * Starts no more jobs, aborts running jobs through their signal, and waits up to `patience` milliseconds (default 10,000).
   * Another process retries jobs that have not ended by then.
   */
  stop(patience?: number): Promise<void>;
}

interface Definition {
  name: string;
  options: JobOptions;
  handler: JobHandler<object>;
}

/** How long a killed process keeps its jobs, not counting up to one interval of the queue's supervision. */
const HEARTBEAT_SECONDS = 20;
const LOOK_SECONDS = 2;
const REST_SECONDS = 30;
const CLEANING_INTERVAL = 60_000;

export function createJobs(database: Database, log: Log): Jobs {
  const definitions = new Map<string, Definition>();
  const stopping = new AbortController();
  let queue: PgBoss | null = null;
  let opened: Queue | null = null;
  let cleaning: NodeJS.Timeout | undefined;

  function defined(name: string): Definition {
    const found = definitions.get(name);
    if (found === undefined) throw new Error(`job ${name} is not defined`);
    return found;
  }

  /**
   * One worker polls for delayed jobs and retries, which send no notification. A worker that finds a job wakes the next worker,
   * and polls again after the job. This way, many idle workers poll no more often than one.
   */
  async function serve(boss: PgBoss, { name, options, handler }: Definition): Promise<void> {
    const { concurrency = 1, groupConcurrency } = options;
    const context = { database, log, stopping: stopping.signal };
    const resting = new Set<string>();
    const slots = groupSlots(groupConcurrency ?? Infinity);
    for (let number = 0; number < concurrency; number++) {
      const seconds = number === 0 ? LOOK_SECONDS : REST_SECONDS;
      const work = {
        includeMetadata: true as const,
        pollingIntervalSeconds: seconds,
        notifyPollingIntervalSeconds: seconds,
        ...(groupConcurrency === undefined ? {} : { groupConcurrency }),
      };
      const worker = await boss.work(name, work, async ([job]: JobWithMetadata<object>[]) => {
        resting.delete(worker);
        const [next] = resting;
        if (next !== undefined) boss.notifyWorker(next);
        try {
          if (job === undefined) return;
          await slots.within(job.groupId, () => runJob(job, options.isTracked === true, handler, context));
        } finally {
          resting.add(worker);
          boss.notifyWorker(worker);
        }
      });
      resting.add(worker);
    }
  }

  return {
    define(name, options, handler) {
      if (queue !== null) throw new Error(`${name} is defined after start`);
      if (definitions.has(name)) throw new Error(`${name} is defined twice`);
      definitions.set(name, { name, options, handler: handler as JobHandler<object> });
    },

    async enqueue(tx, name, data, options = {}) {
      if (queue === null) throw new Error("a job was queued before start");
      const { isTracked } = defined(name).options;
      const { group, total, ...others } = options;
      const id = await queue.send(name, data, {
        ...others,
        id: newId(),
        ...(group === undefined ? {} : { group: { id: group } }),
        db: fromKysely(tx),
      });
      if (id !== null && isTracked === true) await insertRun(tx, id, name, total ?? null);
      return id;
    },

    cancel: cancelRun,

    async retry(tx, name, id) {
      const definition = definitions.get(name);
      if (queue === null || definition === undefined || definition.options.isTracked === true) return false;
      const { rows } = await sql`select from jobs.job where name = ${name} and id = ${id} and state = 'failed'`.execute(
        tx,
      );
      if (rows.length === 0) return false;
      await queue.retry(name, id, { db: fromKysely(tx) });
      return true;
    },

    known: () =>
      new Map(
        [...definitions.values()].map(({ name, options }) => [
          name,
          { isTracked: options.isTracked === true, schedule: options.schedule ?? null },
        ]),
      ),

    async start() {
      const hasSchedules = [...definitions.values()].some(({ options }) => options.schedule !== undefined);
      opened = openQueue(database, hasSchedules, log);
      const { boss } = opened;
      boss.on("error", (error) => log.warn({ err: error }, "the job queue reported an error and continues"));
      boss.on("warning", ({ message }) => log.warn({ detail: message }, "the job queue reported a warning"));
      await boss.start();
      for (const definition of definitions.values()) await declare(boss, definition);
      queue = boss;
      for (const definition of definitions.values()) await serve(boss, definition);
      cleaning = setInterval(() => {
        cleanRuns(database).catch((error: unknown) => log.warn({ err: error }, "old job runs could not be deleted"));
      }, CLEANING_INTERVAL).unref();
    },

    async stop(patience = 10_000) {
      if (queue === null) return;
      clearInterval(cleaning);
      stopping.abort(new Error("the server is stopping"));
      const boss = queue;
      const idle = Promise.all([...definitions.keys()].map((name) => boss.offWork(name, { wait: true })));
      await Promise.race([idle, new Promise((resolve) => setTimeout(resolve, patience).unref())]);
      await boss.stop({ graceful: false });
      const connections = opened;
      opened = null;
      await connections?.close();
    },
  };
}

/** Creates the queue or updates its settings. */
async function declare(boss: PgBoss, { name, options }: Definition): Promise<void> {
  const settings = {
    retryLimit: options.retryLimit ?? 2,
    retryDelay: options.retryDelay ?? 5,
    retryBackoff: true,
    expireInSeconds: options.timeout ?? 3600,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    notify: true,
  };
  const known = await boss.getQueue(name);
  if (known === null) await boss.createQueue(name, { policy: options.policy ?? "standard", ...settings });
  else await boss.updateQueue(name, settings);
  if (options.schedule === undefined) await boss.unschedule(name);
  else await boss.schedule(name, options.schedule, null, { tz: "UTC" });
}
