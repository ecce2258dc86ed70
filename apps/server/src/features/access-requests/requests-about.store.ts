// Which requests were ever made by a person or for an account: for the evidence of the audit trail.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";

/** Ids, the newest `limit`. Unfiltered: the caller has decided that all of the trail may be seen. */
export async function requestsAbout(
  db: Db,
  { type, id }: { type: "account" | "user"; id: string },
  limit: number,
): Promise<string[]> {
  const column = sql.ref(type === "account" ? "account_id" : "user_id");
  const { rows } = await sql<{ id: string }>`
    select id from access_requests where ${column} = ${id} order by created_at desc, id desc limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => row.id);
}
