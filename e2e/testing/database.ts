// The database of a server under test, from outside: for what only time would do otherwise.
import { join } from "node:path";
import pg from "pg";
import type { RunningServer } from "./server.ts";

/** Runs SQL in the embedded database; answers how many rows it touched. */
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
