// Finds a user's requests or the requests for an account, for evidence bundles of the audit trail.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";

/**
 * Returns the ids of the newest `limit` requests. Does not filter by visibility: the caller has checked that the user
 * may see the whole trail.
 */
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
