// Reads with a time limit: cancels queries that take too long and reports that to the caller.
import { sql } from "kysely";
import type { Database, Db } from "./database.ts";

/** The SQLSTATE of a cancelled statement. */
const QUERY_CANCELED = "57014";

export const isCutOff = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === QUERY_CANCELED;

/** Returns the result of `work`. Throws the error from `tooLong` if one of its statements takes longer than `seconds`. */
export async function within<T>(
  { database, seconds, tooLong }: { database: Database; seconds: number; tooLong: () => Error },
  work: (db: Db) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(async (tx) => {
      await sql`select set_config('statement_timeout', ${String(Math.ceil(seconds * 1000))}, true)`.execute(tx);
      return work(tx);
    });
  } catch (error) {
    if (isCutOff(error)) throw tooLong();
    throw error;
  }
}
