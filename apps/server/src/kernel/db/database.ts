// The one way to the database: reads through `db`, writes through `transaction`, both on one bounded pool.
import { Kysely, PostgresDialect } from "kysely";
import type { Transaction } from "kysely";
import pg from "pg";
import type { Log } from "#kernel/log.ts";
import { DatabaseClient } from "./client.ts";
import { columnTypes } from "./column-types.ts";
import { sharedTrips } from "./shared-trips.ts";
import type { Tables } from "./tables.ts";

/** Reads. Searches stay unnamed (no generic plan); see `named` for hot lookups by key. */
export type Db = Kysely<Tables>;

/** What a store function that writes asks for. Its type is the proof that the caller opened a transaction. */
export type Tx = Transaction<Tables>;

export interface DatabaseConfig {
  connection: pg.PoolConfig;
  log: Log;
  /** Connections at the most; default 20. */
  poolSize?: number;
  /** Milliseconds after which the server gives up a statement; default 30,000. */
  statementTimeout?: number;
  /** Milliseconds after which a statement gives up waiting for a lock; default 10,000. */
  lockTimeout?: number;
  /** Shown in `pg_stat_activity`; default "strongroom". */
  applicationName?: string;
}

export interface Database {
  db: Db;
  /**
   * Runs `fn` in one transaction: commits when it returns, rolls back when it throws. No network calls and no hashing
   * inside: a transaction holds a connection and locks. When the database ends it because it and another waited for each
   * other, nothing of it has happened, and `fn` is run once more: what it does outside of the database it may do twice.
   */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * As `transaction`, one trip to the database shorter. Only for a first statement that may take effect although the
   * transaction never began and `fn` is told that the statement failed. Never run again: whoever calls is told of a deadlock.
   */
  swiftTransaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  pool: pg.Pool;
  /** How to reach the same database. */
  connection: pg.PoolConfig;
  /** A further pool on the same database, for what must not compete with calls. The caller ends it. */
  openPool(options: pg.PoolConfig): pg.Pool;
  /** A connected client of its own, for session state such as LISTEN. The caller notices its end, and ends it. */
  listenConnection(): Promise<DatabaseClient>;
  /** Waits for running queries, then closes all connections of the pool. */
  close(): Promise<void>;
}

const DEADLOCK = "40P01";
/** For a new connection, and for one of the pool to become free. */
const CONNECT_WITHIN_MS = 10_000;
/** Node sends ten probes, one a second, after this silence: a dead idle connection is noticed within 20 seconds. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Opens the pool; connects when first used. Connections that the server drops are replaced by themselves. */
export function openDatabase(config: DatabaseConfig): Database {
  const connection: pg.PoolConfig = {
    ...config.connection,
    application_name: config.applicationName ?? "strongroom",
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    ...KEEP_ALIVE,
    types: columnTypes,
  };
  const session = {
    statement_timeout: config.statementTimeout ?? 30_000,
    lock_timeout: config.lockTimeout ?? 10_000,
    idle_in_transaction_session_timeout: 60_000,
  };
  // Not sent while connecting: poolers refuse settings there that they do not know.
  const settings = Object.entries(session).map(([name, value]) => `set ${name} = ${value}`);

  function openPool(options: pg.PoolConfig): pg.Pool {
    const opened = new pg.Pool({
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      ...KEEP_ALIVE,
      ...options,
      Client: DatabaseClient,
      // The pool waits for it, which its types do not say.
      onConnect: ((client) => client.query(settings.join("; "))) as (client: pg.ClientBase) => void,
    });
    // An idle connection that breaks leaves the pool; the next query opens another.
    opened.on("error", (error) => config.log.warn({ err: error }, "an idle database connection was lost"));
    return opened;
  }

  const pool = openPool({
    ...connection,
    max: config.poolSize ?? 20,
    idleTimeoutMillis: 30_000,
    // Statements may leave before the one in front is answered; they are still answered in order.
    pipeline: true,
  });

  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sharedTrips(pool, false) }) });
  const swift = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sharedTrips(pool, true) }) });
  return {
    db,
    async transaction(fn) {
      try {
        return await db.transaction().execute(fn);
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code !== DEADLOCK) throw error;
        config.log.warn(
          { event: "database.deadlock" },
          "PostgreSQL ended a transaction because of a deadlock; retrying it",
        );
        return db.transaction().execute(fn);
      }
    },
    swiftTransaction: (fn) => swift.transaction().execute(fn),
    pool,
    connection,
    openPool,
    async listenConnection() {
      const client = new DatabaseClient(connection);
      await client.connect();
      return client;
    },
    async close() {
      await db.destroy();
      // Kysely leaves a pool open that none of its own queries has used.
      if (!pool.ended) await pool.end();
    },
  };
}
