import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, beforeEach, afterEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "#kernel/db/database.ts";
import type { Database } from "#kernel/db/database.ts";
import { openLog } from "#kernel/log.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import { createJobs } from "./jobs.ts";
import type { Jobs } from "./jobs.ts";
import type { Job } from "./run-job.ts";

const log = openLog("fatal");

let own: TestDatabase;
let database: Database;
let jobs: Jobs;

before(async () => {
  own = await testDatabase();
  database = own.database;
});
after(() => own.drop());
beforeEach(() => {
  jobs = createJobs(database, log);
});
afterEach(() => jobs.stop(5000));

const enqueue = (name: string, data: object = {}, options = {}) =>
  database.transaction((tx) => jobs.enqueue(tx, name, data, options));

/** All queue rows for jobs of this name, in any state. */
async function queued(name: string): Promise<{ state: string; data: unknown }[]> {
  return (await database.pool.query("select state, data from jobs.job where name = $1 order by created_on, id", [name]))
    .rows;
}

const runOf = (id: string) => database.db.selectFrom("job_runs").selectAll().where("id", "=", id).executeTakeFirst();

/** Polls until the condition holds, for writes of other connections. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await isSo()); await delay(20)) {
    if (Date.now() > end) throw new Error("the condition did not hold within 30 s");
  }
}

/** A handler whose calls a test can await one by one. */
function handled<Data>() {
  const arrived: Job<Data>[] = [];
  const waiting: ((job: Job<Data>) => void)[] = [];
  return {
    handler: async (job: Job<Data>) => {
      const next = waiting.shift();
      if (next === undefined) arrived.push(job);
      else next(job);
    },
    next: () =>
      new Promise<Job<Data>>((resolve) => {
        const job = arrived.shift();
        if (job === undefined) waiting.push(resolve);
        else resolve(job);
      }),
  };
}

describe("jobs", () => {
  test("a job queued in a transaction runs shortly after the commit", async () => {
    const { handler, next } = handled<{ account: string }>();
    jobs.define("test.committed", {}, handler);
    await jobs.start();
    let waited = 0;
    for (const account of ["a1", "a2", "a3", "a4"]) {
      const id = await enqueue("test.committed", { account });
      const committedAt = performance.now();
      const job = await next();
      waited += performance.now() - committedAt;
      assert.deepEqual([job.id, job.data, job.attempt], [id, { account }, 1]);
      await until(async () => (await queued("test.committed")).every(({ state }) => state === "completed"));
    }
    // Polling every two seconds would take twice as long for four jobs. One pause of the machine is tolerated.
    assert.ok(waited < 2500, `it was woken, not polled: ${waited} ms`);
  });

  test("a rollback discards the queued job", async () => {
    jobs.define("test.undone", { isTracked: true }, async () => undefined);
    await jobs.start();
    let id: string | null = null;
    await assert.rejects(
      database.transaction(async (tx) => {
        id = await jobs.enqueue(tx, "test.undone", {});
        throw new Error("rolled back on purpose");
      }),
      /rolled back on purpose/,
    );
    assert.notEqual(id, null);
    assert.deepEqual(await queued("test.undone"), []);
    assert.equal(await runOf(id!), undefined);
  });

  test("an exclusive job is not queued again while a job with its key is queued or running, and the transaction continues", async () => {
    const gate = Promise.withResolvers<void>();
    const { handler, next } = handled<object>();
    jobs.define("test.exclusive", { policy: "exclusive" }, async (job) => {
      await handler(job);
      await gate.promise;
    });
    await jobs.start();
    const first = await enqueue("test.exclusive", {}, { singletonKey: "account-1" });
    await next();
    const again = await database.transaction(async (tx) => {
      const id = await jobs.enqueue(tx, "test.exclusive", {}, { singletonKey: "account-1" });
      await tx.selectFrom("settings").selectAll().execute();
      return id;
    });
    const other = await enqueue("test.exclusive", {}, { singletonKey: "account-2" });
    assert.deepEqual([first !== null, again, other !== null], [true, null, true]);
    gate.resolve();
    await until(async () => (await queued("test.exclusive")).every((job) => job.state === "completed"));
    assert.notEqual(await enqueue("test.exclusive", {}, { singletonKey: "account-1" }), null);
  });

  test("a failed job is retried soon and fails permanently after its last attempt", async () => {
    const { handler, next } = handled<object>();
    jobs.define("test.failing", { retryLimit: 1, retryDelay: 1, isTracked: true }, async (job) => {
      await handler(job);
      throw new Error("the target is unreachable");
    });
    await jobs.start();
    const id = await enqueue("test.failing");
    assert.equal((await next()).attempt, 1);
    const failedAt = Date.now();
    assert.equal((await next()).attempt, 2);
    assert.ok(Date.now() - failedAt < 8000, "a retry waits for the poll, so the poll must be quick");
    await until(async () => (await runOf(id!))?.state === "failed");
    await until(async () => (await queued("test.failing"))[0]?.state === "failed");
  });

  test("a tracked job reports its progress", async () => {
    const gate = Promise.withResolvers<void>();
    const { handler, next } = handled<object>();
    jobs.define("test.progress", { isTracked: true }, async (job) => {
      await job.progress(1, 3);
      await handler(job);
      await gate.promise;
      await job.progress(2);
      await job.progress(3);
    });
    await jobs.start();
    const id = await enqueue("test.progress", {}, { total: 2 });
    assert.deepEqual(await runOf(id!).then((run) => run?.total), 2);
    await next();
    const halfway = await runOf(id!);
    assert.deepEqual([halfway?.state, halfway?.done, halfway?.total], ["running", 1, 3]);
    gate.resolve();
    await until(async () => (await runOf(id!))?.state === "completed");
    assert.equal((await runOf(id!))?.done, 3);
  });

  test("a waiting job that is cancelled never starts, and a running one is aborted and not retried", async () => {
    const { handler, next } = handled<object>();
    jobs.define("test.cancelled", { isTracked: true }, async (job) => {
      await handler(job);
      if (!job.signal.aborted) await once(job.signal, "abort");
      throw job.signal.reason;
    });
    await jobs.start();
    const atWork = await enqueue("test.cancelled");
    await next();
    const waiting = await enqueue("test.cancelled");
    const cancel = (id: string) => database.transaction((tx) => jobs.cancel(tx, id));
    assert.equal(await cancel(waiting!), true);
    assert.equal((await runOf(waiting!))?.state, "cancelled");
    assert.equal(await cancel(atWork!), true);
    await until(async () => (await runOf(atWork!))?.state === "cancelled");
    await until(async () => (await queued("test.cancelled")).every((job) => job.state === "completed"));
    assert.equal((await runOf(waiting!))?.started_at, null);
    assert.equal(await cancel(atWork!), false);
    assert.equal(await cancel("019365a0-0000-7000-8000-000000000000"), false);
  });

  test("two processes share the work and run each job once", async (t) => {
    const elsewhere = openDatabase({ connection: own.connection, log, poolSize: 4 });
    const other = createJobs(elsewhere, log);
    t.after(async () => {
      await other.stop();
      await elsewhere.close();
    });
    const done: string[] = [];
    const by = new Set<string>();
    for (const [name, each] of [
      ["here", jobs],
      ["there", other],
    ] as const) {
      each.define("test.shared", { concurrency: 4 }, async (job) => {
        done.push(job.id);
        by.add(name);
        await delay(10);
      });
    }
    await Promise.all([jobs.start(), other.start()]);
    await database.transaction(async (tx) => {
      for (let number = 0; number < 60; number++) await jobs.enqueue(tx, "test.shared", { number });
    });
    await until(async () => (await queued("test.shared")).every((job) => job.state === "completed"));
    assert.deepEqual([done.length, new Set(done).size, by.size], [60, 60, 2]);
  });

  test("a queue runs jobs concurrently up to its limit", async () => {
    let atWork = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    jobs.define("test.concurrent", { concurrency: 6 }, async () => {
      most = Math.max(most, ++atWork);
      if (atWork === 6) gate.resolve();
      await gate.promise;
      atWork--;
    });
    await jobs.start();
    await enqueue("test.concurrent");
    await database.transaction(async (tx) => {
      for (let number = 0; number < 29; number++) await jobs.enqueue(tx, "test.concurrent", {});
    });
    await until(async () => (await queued("test.concurrent")).every((job) => job.state === "completed"));
    assert.equal(most, 6);
  });

  test("jobs of one group run one at a time, while other groups continue", async () => {
    const atWork = new Map<string, number>();
    let most = 0;
    let together = 0;
    jobs.define<{ target: string }>("test.grouped", { concurrency: 6, groupConcurrency: 1 }, async ({ data }) => {
      atWork.set(data.target, (atWork.get(data.target) ?? 0) + 1);
      most = Math.max(most, ...atWork.values());
      together = Math.max(together, [...atWork.values()].filter((count) => count > 0).length);
      await delay(20);
      atWork.set(data.target, atWork.get(data.target)! - 1);
    });
    await jobs.start();
    await database.transaction(async (tx) => {
      for (let number = 0; number < 30; number++) {
        const target = `target-${number % 3}`;
        await jobs.enqueue(tx, "test.grouped", { target }, { group: target });
      }
    });
    await until(async () => (await queued("test.grouped")).every((job) => job.state === "completed"));
    assert.equal(most, 1);
    assert.ok(together > 1);
  });

  test("stopping aborts running jobs and leaves them to be retried", async () => {
    const { handler, next } = handled<object>();
    jobs.define("test.stopping", { retryDelay: 1 }, async (job) => {
      await handler(job);
      if (!job.signal.aborted) await once(job.signal, "abort");
      throw job.signal.reason;
    });
    await jobs.start();
    await enqueue("test.stopping");
    await next();
    const startedAt = Date.now();
    await jobs.stop(5000);
    assert.ok(Date.now() - startedAt < 4000);
    assert.equal((await queued("test.stopping"))[0]?.state, "retry");
  });

  test("the queue uses few connections, whatever the number of job types", async () => {
    for (let kind = 0; kind < 12; kind++) jobs.define(`test.kind-${kind}`, { concurrency: 4 }, async () => undefined);
    await jobs.start();
    await database.transaction(async (tx) => {
      for (let number = 0; number < 48; number++) await jobs.enqueue(tx, `test.kind-${number % 12}`, {});
    });
    let most = 0;
    await until(async () => {
      const { rows } = await database.pool.query(
        "select count(*)::int as n from pg_stat_activity where application_name = 'strongroom jobs' and datname = current_database()",
      );
      most = Math.max(most, rows[0].n);
      const left = await database.pool.query(
        "select 1 from jobs.job where name like 'test.kind-%' and state < 'completed'",
      );
      return left.rows.length === 0;
    });
    assert.ok(most <= 5, `${most} connections`);
  });
});
