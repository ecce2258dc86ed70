import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { openLog } from "#kernel/log.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import { createJobs } from "./jobs.ts";

const WORKER = join(import.meta.dirname, "testing", "worker.ts");

test("another process runs the job of a killed process within a minute, and the job's run records that", async () => {
  const { database, connection, drop } = await testDatabase();
  function startWorker() {
    const child = spawn(process.execPath, [WORKER, JSON.stringify(connection)], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const says = async () => (await lines.next()).value as string;
    const kill = async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    };
    return { says, kill };
  }

  const first = startWorker();
  assert.equal(await first.says(), "ready");
  const jobs = createJobs(database, openLog("silent"));
  // This process only queues jobs.
  jobs.define("test.killed", { isTracked: true, concurrency: 0 }, async () => assert.fail("not here"));
  await jobs.start();
  const id = await database.transaction((tx) => jobs.enqueue(tx, "test.killed", {}));
  await jobs.stop();
  assert.equal(await first.says(), "1");
  const second = startWorker();
  assert.equal(await second.says(), "ready");

  await first.kill();
  const killedAt = Date.now();
  assert.equal(await second.says(), "2");
  assert.ok(Date.now() - killedAt < 60_000);
  const run = () => database.db.selectFrom("job_runs").select("state").where("id", "=", id!).executeTakeFirstOrThrow();
  while ((await run()).state === "running") await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await run()).state, "completed");
  await second.kill();
  await drop();
});
