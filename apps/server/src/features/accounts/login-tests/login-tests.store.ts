// The recent tests of logins in the database, which bound how often a target rejects one.
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";

interface LoginTestsTable {
  id: string;
  user_id: string;
  login: string;
  tested_at: Date;
  outcome: string | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    account_login_tests: LoginTestsTable;
  }
}

/** Minutes. */
export const WINDOW = 10;

export interface RecentTests {
  /** Rejected and unfinished tests of the user within the window. */
  ofUser: number;
  /** Rejected and unfinished tests of the login within the window, by any user. */
  ofLogin: number;
}

/**
 * Counts the recent tests, and deletes older ones. INVARIANT: tests of one user and of one login count one after the other, so that
 * concurrent calls cannot exceed the limits.
 */
export async function countRecentTests(tx: Tx, userId: string, login: string): Promise<RecentTests> {
  // In a fixed order, so that two calls never wait for each other.
  await sql`
    select pg_advisory_xact_lock(key) from (
      select hashtextextended(name, 140) as key from unnest(${[`user ${userId}`, `login ${login}`]}::text[]) name order by 1
    ) keys`.execute(tx);
  const since = sql`access_time() - make_interval(mins => ${WINDOW})`;
  await sql`delete from account_login_tests where (user_id = ${userId} or login = ${login}) and tested_at < ${since}`.execute(
    tx,
  );
  const counts = sql`tested_at >= ${since} and (outcome is null or outcome = 'rejected')`;
  const { rows } = await sql<RecentTests>`
    select (select count(*)::integer from account_login_tests where user_id = ${userId} and ${counts}) as "ofUser",
      (select count(*)::integer from account_login_tests where login = ${login} and ${counts}) as "ofLogin"`.execute(
    tx,
  );
  return rows[0]!;
}

export async function insertTest(tx: Tx, row: Omit<LoginTestsTable, "outcome" | "tested_at">): Promise<void> {
  await sql`
    insert into account_login_tests (id, user_id, login, tested_at)
    values (${row.id}, ${row.user_id}, ${row.login}, access_time())`.execute(tx);
}

export async function endTest(tx: Tx, id: string, outcome: string): Promise<void> {
  await tx.updateTable("account_login_tests").set({ outcome }).where("id", "=", id).execute();
}
