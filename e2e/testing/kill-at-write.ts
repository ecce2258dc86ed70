// Kills a server while it waits in the middle of a transaction, and starts the next process with the same data.
import { until } from "./becomes.ts";
import { runSql } from "./database.ts";
import { startServer } from "./server.ts";
import type { RunningServer } from "./server.ts";

export interface Write {
  name: string;
  /** The event of a trigger, such as `update on rotations`. */
  on: string;
  /** A condition on the row, in SQL. */
  when: string;
}

export interface Killed<T> {
  /** Another process with the same data. */
  server: RunningServer;
  /** Of the work; null if it failed. */
  result: T | null;
}

/** Runs the work while the write waits, kills the server there, and starts another one. */
export async function killAtWrite<T>(
  killed: RunningServer,
  { name, on, when }: Write,
  work: () => Promise<T>,
): Promise<Killed<T>> {
  const table = on.split(" ").at(-1)!;
  await runSql(
    killed,
    `create function wait_here() returns trigger language plpgsql as
       $$ begin if ${when} then perform pg_sleep(60); end if; return new; end $$;
     create trigger wait_here before ${on} for each row execute function wait_here()`,
  );
  const result = work().catch(() => null);
  try {
    await until(name, async () => {
      const waiting = "select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
      return (await runSql(killed, waiting)) > 0 ? true : null;
    });
  } finally {
    await killed.kill();
  }
  const server = await restartKilled(killed, async (next) => {
    // A session of the killed server keeps its locks until it wakes up.
    await runSql(next, "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'");
    await runSql(next, `drop trigger wait_here on ${table}; drop function wait_here`);
  });
  return { server, result: await result };
}

/**
 * Starts another process with the data of a killed one, and puts the jobs of the killed one back into the queue. The queue itself does
 * so when their heartbeats are missing, 25 to 40 s after the kill; `kernel/jobs/killed-worker.test.ts` tests that.
 * `prepare` runs first.
 */
export async function restartKilled(
  killed: RunningServer,
  prepare: (server: RunningServer) => Promise<void> = () => Promise.resolve(),
): Promise<RunningServer> {
  const startedAt = new Date();
  const server = await startServer({}, killed.dataFolder);
  await prepare(server);
  const ofKilled = "state = 'active' and started_on < $1";
  await runSql(
    server,
    `update jobs.job set state = 'retry', start_after = now(), heartbeat_on = null where ${ofKilled}`,
    [startedAt],
  );
  return server;
}
