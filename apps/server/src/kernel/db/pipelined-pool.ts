// Pipelines a statement whose result is not needed with the next one: one round trip to the database instead of two.
import type { CompiledQuery, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type pg from "pg";
import type { Availability } from "./availability.ts";
import { NoConnection, OutcomeUnknown, databaseRefusal, markDatabaseError, mayHaveHappened } from "./database-error.ts";
import { named } from "./named.ts";

/** The query that Kysely passes to a client: text, or the result of `named`. */
type Statement = string | { name: string; text: string; isHeld?: true };

/**
 * A named statement whose result is not needed. Inside a transaction, it is sent with the next statement, at the latest with the
 * commit, and that statement reports its failure. INVARIANT: if it fails together with a commit, nothing is committed, because
 * PostgreSQL rolls back a transaction with a failed statement and reports that to the commit.
 */
export function pipelined<R>(name: string, query: CompiledQuery<R>): CompiledQuery<R> {
  const it = named(name, query);
  return { ...it, sql: { ...(it.sql as unknown as object), isHeld: true } as unknown as string };
}

/**
 * The pool for Kysely. With `holdsBegin`, `begin` is sent in the round trip of the first statement. If only `begin` fails, that
 * statement takes effect on its own before the failure is seen, so such transactions must start with a statement for which this
 * is acceptable.
 */
export function pipelinedPool(pool: pg.Pool, availability: Availability, holdsBegin: boolean): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await checkOut(pool, availability);
      const known = clients.get(client) ?? sharing(client, holdsBegin);
      clients.set(client, known);
      return known;
    },
  };
}

/** Any failure to connect (even because of a changed password) means that the database is unavailable. */
async function checkOut(pool: pg.Pool, availability: Availability): Promise<pg.PoolClient> {
  try {
    return await availability.unlessAway(
      () => pool.connect(),
      (late) => late.release(),
    );
  } catch (error) {
    markDatabaseError(error);
    if (databaseRefusal(error) !== null) throw error;
    throw new NoConnection("unavailable", "there is no connection to the database", error);
  }
}

function sharing(client: pg.PoolClient, holdsBegin: boolean): PostgresPoolClient {
  let isInTransaction = false;
  let isBroken = false;
  let held: [Statement, readonly unknown[]][] = [];

  function isToHold(statement: Statement): boolean {
    if (typeof statement === "string") return statement === "begin" && holdsBegin;
    return statement.isHeld === true && isInTransaction;
  }

  /** Sends the held statements and `last` in one write, because `pg` would otherwise wake the database for each of them. */
  function send(last: [Statement, readonly unknown[]]): Promise<pg.QueryResult>[] {
    const all = [...held, last];
    held = [];
    const { stream } = client.connection;
    stream.cork();
    try {
      return all.map(([statement, values]) => client.query(statement, [...values]));
    } finally {
      stream.uncork();
    }
  }

  async function query(sql: unknown, values: readonly unknown[]) {
    const statement = sql as Statement;
    if (statement === "begin") isInTransaction = true;
    if (statement === "commit" || statement === "rollback") isInTransaction = false;
    if (statement === "rollback") held = [];
    if (isToHold(statement)) {
      held.push([statement, values]);
      return NOTHING;
    }
    try {
      return (await Promise.all(send([statement, values]))).at(-1) as never;
    } catch (error) {
      if (statement === "commit" && mayHaveHappened(error)) throw new OutcomeUnknown(error);
      if (statement !== "rollback") throw error;
      // The server rolls back the transaction of a broken connection. The original failure is the one to report.
      isBroken = true;
      return NOTHING;
    }
  }

  return {
    query: query as unknown as PostgresPoolClient["query"],
    release: (discard) => client.release(discard === true || isBroken),
  };
}

const NOTHING: PostgresQueryResult<never> = { command: "SELECT", rowCount: 0, rows: [] };
