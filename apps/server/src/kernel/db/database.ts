// The only access to the database: reads through `db`, writes through `transaction`, both on one bounded pool.
import { Kysely, PostgresDialect } from "kysely";
import type { Transaction } from "kysely";
import pg from "pg";
import type { Log } from "#kernel/log.ts";
import { createAvailability } from "./availability.ts";
import { DatabaseClient } from "./client.ts";
import { markDatabaseError } from "./database-error.ts";
import { pipelinedPool } from "./pipelined-pool.ts";
import type { Tables } from "./tables.ts";
import { beginHooks } from "./transaction-hooks.ts";

const INT8 = 20;

const INT8_ARRAY = 1016;

const DATE = 1082;

const readTextArray = pg.types.getTypeParser(1009 as never) as (text: string) => (string | null)[];

type Parser = (text: string) => unknown;

const parsers = new Map<number, Parser>([
  [INT8, readInt8],
  [INT8_ARRAY, readInt8Array],
  // A calendar date has no time zone: as a `Date`, it would become a different day west of Greenwich.
  [DATE, (text) => text],
]);

/**
 * For the `types` option of `pg`: int8 becomes a safe number, date `YYYY-MM-DD`, and timestamptz a `Date`. Other types are parsed
 * as usual.
 */
const columnTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    const own = format === "binary" ? undefined : parsers.get(oid);
    return own ?? pg.types.getTypeParser(oid, format);
  },
};

/** For reads. Searches stay unnamed (no generic plan); see `named` for hot lookups by key. */
export type Db = Kysely<Tables>;

/** The argument of store functions that write. The type proves that the caller opened a transaction. */
export type Tx = Transaction<Tables>;

export interface DatabaseConfig {
  connection: pg.PoolConfig;
  log: Log;
  /** The maximum number of connections; default 20. */
  poolSize?: number;
  /** The server cancels a statement after this many milliseconds; default 30,000. */
  statementTimeout?: number;
  /** A statement waits this many milliseconds for a lock; default 10,000. */
  lockTimeout?: number;
  /** The name shown in `pg_stat_activity`; default "strongroom". */
  applicationName?: string;
}

export interface Database {
  db: Db;
  /**
   * Runs `fn` in one transaction: commits when it returns, rolls back when it throws. `fn` must not use the network or compute
   * password hashes, because a transaction holds a connection and locks. After a deadlock, which the database rolls back, `fn`
   * runs a second time, so its effects outside the database may happen twice.
   */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Like `transaction`, but with one round trip less: `begin` is pipelined with the first statement. Use it only if the first
   * statement may take effect on its own when `begin` fails; `fn` then sees the failure. Never runs `fn` again: a deadlock
   * rejects.
   */
  pipelinedTransaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  pool: pg.Pool;
  /** The options for connecting to the same database. */
  connection: pg.PoolConfig;
  /**
   * Opens another pool on the same database, for work that must not compete with calls. The caller ends the pool. Its
   * statements may take `longestStatement` milliseconds; by default, the limit is the same as for calls.
   */
  openPool(options: pg.PoolConfig, longestStatement?: number): pg.Pool;
  /**
   * Opens a separate connection for session state such as LISTEN. The caller detects its end, and ends it. Rejects when there is
   * no connection within `patience` milliseconds.
   */
  listenConnection(patience?: number): Promise<DatabaseClient>;
  /** Waits for running queries, then closes all connections of the pool. */
  close(): Promise<void>;
}

const DEADLOCK = "40P01";
/** The time limit for opening a connection, and for waiting for a free one in the pool. */
const CONNECT_WITHIN_MS = 10_000;
/** The limit for queries on a listening connection, which are answered immediately. */
const LISTENING_MS = 5000;
/** The extra time that the server gets to report that it cancelled a statement. */
const CUT_AFTER_MS = 5000;
/** After this silence, Node sends ten probes, one per second, so that a dead idle connection is detected within 20 seconds. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * The settings that each connection of a pool makes first. They are not sent while connecting, because poolers refuse settings
 * they do not know. The last four end the sessions of a disconnected process, so that its locks are released soon.
 */
const sessionSettings = (longestStatement: number, lockTimeout: number) => `
  set statement_timeout = ${longestStatement};
  set lock_timeout = ${lockTimeout};
  set idle_in_transaction_session_timeout = 15000;
  set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 2;
  set tcp_keepalives_count = 3`;

/** Opens the pool, which connects on first use. Dropped connections are replaced automatically. */
export function openDatabase(config: DatabaseConfig): Database {
  const connection: pg.PoolConfig = {
    ...config.connection,
    application_name: config.applicationName ?? "strongroom",
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    ...KEEP_ALIVE,
    types: columnTypes,
  };
  const availability = createAvailability({
    log: config.log,
    makeClient: () => new DatabaseClient({ ...connection, application_name: "strongroom availability" }),
  });
  const watched = (longestStatement: number) =>
    class extends DatabaseClient {
      constructor(given?: pg.ClientConfig) {
        super(given);
        availability.watch(this, longestStatement + CUT_AFTER_MS);
      }
    };

  function openPool(options: pg.PoolConfig, longestStatement = config.statementTimeout ?? 30_000): pg.Pool {
    const settings = sessionSettings(longestStatement, config.lockTimeout ?? 10_000);
    const opened = new pg.Pool({
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      ...KEEP_ALIVE,
      ...options,
      Client: watched(longestStatement),
      // The pool awaits this, although its types do not declare it.
      onConnect: ((client) => client.query(settings)) as (client: pg.ClientBase) => void,
    });
    // An idle connection that breaks leaves the pool, and the next query opens a new one.
    opened.on("error", (error) => config.log.warn({ err: error }, "an idle database connection was lost"));
    return opened;
  }

  const pool = openPool({
    ...connection,
    max: config.poolSize ?? 20,
    idleTimeoutMillis: 30_000,
    // Statements may be sent before the previous one is answered; answers still arrive in order.
    pipeline: true,
  });

  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pipelinedPool(pool, availability, false) }) });
  const pipelined = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: pipelinedPool(pool, availability, true) }),
  });
  async function execute<T>(on: Db, fn: (tx: Tx) => Promise<T>): Promise<T> {
    let committed = (): void => {};
    const result = await on.transaction().execute((tx) => {
      committed = beginHooks(tx, pool);
      return fn(tx);
    });
    committed();
    return result;
  }
  return {
    db,
    async transaction(fn) {
      try {
        return await execute(db, fn);
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code !== DEADLOCK) throw error;
        config.log.warn(
          { event: "database.deadlock" },
          "PostgreSQL ended a transaction because of a deadlock; retrying it",
        );
        return execute(db, fn);
      }
    },
    pipelinedTransaction: (fn) => execute(pipelined, fn),
    pool,
    connection,
    openPool,
    async listenConnection(patience = CONNECT_WITHIN_MS) {
      const client = new (watched(LISTENING_MS))({ ...connection, connectionTimeoutMillis: patience });
      await client.connect().catch((error: unknown) => {
        markDatabaseError(error);
        throw error;
      });
      return client;
    },
    async close() {
      await db.destroy();
      // Close the pool ourselves, because Kysely does not close a pool that its own queries have not used.
      if (!pool.ended) await pool.end();
      availability.close();
    },
  };
}

/** Parses a 64-bit integer as a number. Throws `RangeError` if a number cannot represent it exactly. */
function readInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("the database holds an integer beyond 2^53 - 1");
  return value;
}

function readInt8Array(text: string): (number | null)[] {
  return readTextArray(text).map((each) => (each === null ? null : readInt8(each)));
}
