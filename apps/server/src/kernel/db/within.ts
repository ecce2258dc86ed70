// Reads that may take only so long: a question that would keep the database busy is cut off, and whoever asked is told.
import { sql } from "kysely";
import type { Database, Db } from "./database.ts";

/** What PostgreSQL says of a statement that was cut off. */
const QUERY_CANCELED = "57014";

export const isCutOff = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === QUERY_CANCELED;

/** Answers with what `work` reads; throws what `tooLong` makes when one statement of it takes longer than `seconds`. */
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
