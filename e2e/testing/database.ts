// Direct access to the database of a server under test, for changes that would otherwise take time.
import { join } from "node:path";
import pg from "pg";
import type { RunningServer } from "./server.ts";

/** Runs SQL in the embedded database. Returns the number of affected rows. */
export async function runSql(
  { dataFolder }: Pick<RunningServer, "dataFolder">,
  sql: string,
  values: unknown[] = [],
): Promise<number> {
  const client = new pg.Client({
    host: join(dataFolder, "postgres/run"),
    user: "strongroom",
    database: "strongroom",
    ssl: false,
  });
  await client.connect();
  try {
    return (await client.query(sql, values)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

/** Queues a scheduled job now, so that the test need not wait for the next full minute. */
export async function queueJob(server: Pick<RunningServer, "dataFolder">, name: string): Promise<void> {
  await runSql(server, "insert into jobs.job (name) values ($1)", [name]);
}
