// Opens the database of a folder. With the argument "write", inserts rows one by one and prints each id after its commit. Runs as
// a separate process that tests kill.
import pg from "pg";
import { openLog } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { startEmbedded } from "../embedded.ts";

const [dataFolder = "", mode = "hold"] = process.argv.slice(2);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const embedded = await startEmbedded({ dataFolder, log: openLog("silent") });
  const client = new pg.Client(embedded.connection);
  await client.connect();
  // Use a lock, because concurrent "if not exists" statements fail for all but one.
  await client.query("select pg_advisory_lock(1)");
  await client.query("create table if not exists written (id bigint primary key, filler text not null)");
  await client.query("select pg_advisory_unlock(1)");
  const { rows } = await client.query("select count(*)::int as count, coalesce(max(id), 0)::int as last from written");
  const { count, last } = rows[0] as { count: number; last: number };
  say({ ready: true, adopted: embedded.adopted, count, last });
  if (mode === "write") {
    for (let id = last + 1; ; id++) {
      await client.query("insert into written values ($1, repeat('x', 200))", [id]);
      say({ id });
    }
  }
  process.stdin.resume();
  process.stdin.once("end", () => void client.end().then(() => embedded.stop()));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  say({ refused: error.message });
}
