// A process that runs one type of job and never finishes the first attempt, for tests that kill it.
import { openDatabase } from "#kernel/db/database.ts";
import { openLog } from "#kernel/log.ts";
import { createJobs } from "../jobs.ts";

const log = openLog("silent");
const database = openDatabase({ connection: JSON.parse(process.argv[2]!), log });
const jobs = createJobs(database, log);
jobs.define("test.killed", { isTracked: true }, async (job) => {
  process.stdout.write(`${job.attempt}\n`);
  if (job.attempt === 1) await new Promise(() => undefined);
});
await jobs.start();
process.stdout.write("ready\n");
