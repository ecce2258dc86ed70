// The time at which access begins and ends. It is the database's time, so it is the same for all processes.
import { sql } from "kysely";
import type { Db } from "./database.ts";

export async function readAccessTime(db: Db): Promise<Date> {
  return (await sql<{ now: Date }>`select access_time() as now`.execute(db)).rows[0]!.now;
}
