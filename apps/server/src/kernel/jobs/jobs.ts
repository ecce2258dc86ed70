// Work that outlives a request: queued in the caller's transaction, done by whichever process is free.
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
  /** Jobs of this name at work at once in one process; default 1, 0 where it only enqueues them. */
  concurrency?: number;
  /**
   * Jobs of one `group` (see `EnqueueOptions`) at work at once. Strict in one process; two processes that ask for a job
   * at the same moment may exceed it. What must never happen twice at once needs a lock of its own in the database.
   */
  groupConcurrency?: number;
  /**
   * What `singletonKey` means. `standard` (default): nothing. `short`: at most one is waiting per key. `exclusive`: at
   * most one is waiting or at work per key. Jobs without a key count as having the same one.
   */
  policy?: "standard" | "short" | "exclusive";
  /** Further attempts after a failure; default 2. */
  retryLimit?: number;
  /** Seconds before the first further attempt, doubled for each; default 5. */
  retryDelay?: number;
  /** Seconds that one attempt may take before it counts as failed; default 3600, at most a day. */
  timeout?: number;
  /** Keeps a row of `job_runs` that tells how far each job is and lets people cancel it. For work that people watch. */
  isTracked?: boolean;
  /** A cron expression (UTC): the job is also enqueued then, once for all processes, without data. */
  schedule?: string;
}

export interface EnqueueOptions {
  singletonKey?: string;
  group?: string;
  /** Not before then. */
  startAfter?: Date;
  /** The higher the sooner; default 0. */
  priority?: number;
  /** Of a tracked job, where it is known before: shown as its total. */
  total?: number;
}

export interface Jobs {
  /** Says who does jobs of this name. Before `start`, once per name. */
  define<Data extends object>(name: string, options: JobOptions, handler: JobHandler<Data>): void;
  /**
   * Queues a job as part of the caller's transaction and returns its id (a UUID); null when the policy finds that one
   * with this `singletonKey` is there already. Rolled back, it was never queued. `data` is stored as it is: no secrets.
   */
  enqueue(tx: Tx, name: string, data: object, options?: EnqueueOptions): Promise<string | null>;
  /** Asks a tracked job to stop: one that waits never starts, one at work gets its signal. False when it has ended. */
  cancel(tx: Tx, id: string): Promise<boolean>;
  /**
   * Has a job attempted again that was given up. False when there is none in this state, when its name is not known here,
   * when it is tracked (people start such work anew), or when its policy finds that there is another one already.
   */
  retry(tx: Tx, name: string, id: string): Promise<boolean>;
  /** What was defined, by name. */
  known(): ReadonlyMap<string, { isTracked: boolean; schedule: string | null }>;
  start(): Promise<void>;
  /**
   * Takes no more jobs, tells those at work to stop through their signal, and waits up to `patience` milliseconds
   * (default 10,000). What has not ended by then is attempted again by another process.
   */
  stop(patience?: number): Promise<void>;
}

interface Definition {
  name: string;
  options: JobOptions;
  handler: JobHandler<object>;
}

/** A process that was killed keeps its jobs for this long, and up to one beat of the queue's supervision more. */
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
    if (found === undefined) throw new Error(`no job is defined as ${name}`);
    return found;
  }

  /**
   * One worker looks for delayed jobs and retries, of which nobody is notified; a worker that found a job wakes the next,
   * and afterwards looks again at once. So many workers at rest ask no more often than one.
   */
  async function serve(boss: PgBoss, { name, options, handler }: Definition): Promise<void> {
    const { concurrency = 1, groupConcurrency } = options;
    const site = { database, log, stopping: stopping.signal };
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
          await slots.within(job.groupId, () => runJob(job, options.isTracked === true, handler, site));
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
      if (queue !== null) throw new Error(`${name} is defined after the jobs were started`);
      if (definitions.has(name)) throw new Error(`${name} is defined twice`);
      definitions.set(name, { name, options, handler: handler as JobHandler<object> });
    },

    async enqueue(tx, name, data, options = {}) {
      if (queue === null) throw new Error("jobs are enqueued before they were started");
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
      boss.on("error", (error) => log.warn({ err: error }, "the job queue met an error and goes on"));
      boss.on("warning", ({ message }) => log.warn({ said: message }, "the job queue warns"));
      await boss.start();
      for (const definition of definitions.values()) await declare(boss, definition);
      queue = boss;
      for (const definition of definitions.values()) await serve(boss, definition);
      cleaning = setInterval(() => {
        cleanRuns(database).catch((error: unknown) => log.warn({ err: error }, "old job runs were not cleaned up"));
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

/** Makes the queue, or brings its settings up to date. */
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
