// The job queue: pg-boss in its own schema, with a few separate connections.
import { PgBoss } from "pg-boss";
import pg from "pg";
import { DatabaseClient } from "#kernel/db/client.ts";
import type { Database } from "#kernel/db/database.ts";
import { listen } from "#kernel/db/listener.ts";
import type { Log } from "#kernel/log.ts";

export const QUEUE_SCHEMA = "jobs";

/** The number of connections in the queue's pool; one more connection listens. */
const CONNECTIONS = 4;

/** The statement timeout for the queue's maintenance, which deletes and analyses a day's old jobs. */
const LONGEST_STATEMENT_MS = 300_000;

export interface Queue {
  boss: PgBoss;
  /** Ends the queue's connections. Called after `boss.stop`. */
  close(): Promise<void>;
}

/**
 * Runs pg-boss on connections that we create. INVARIANT: pg-boss never creates clients, because some of them have no
 * "error" listener, and the process would end when one of those breaks.
 */
export function openQueue(database: Database, hasSchedules: boolean, log: Log): Queue {
  const how = { ...plain(database.connection), max: CONNECTIONS, application_name: "strongroom jobs" };
  const pool = database.openPool(how, LONGEST_STATEMENT_MS);
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) => query(pool, text, values),
      listen: (channel, heard, restored) => listen(database, channel, log, restored, heard),
    },
    schema: QUEUE_SCHEMA,
    useListenNotify: true,
    schedule: hasSchedules,
    // The interval for detecting missing heartbeats. After it, another process gets the jobs of a killed one.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  });
  return { boss, close: () => pool.end() };
}

/** Creates or upgrades the queue's tables for a later start. */
export async function installQueue(connection: pg.ClientConfig): Promise<void> {
  const pool = new pg.Pool({ ...plain(connection), Client: DatabaseClient, max: 1 });
  // A pending query of start() rejects as well.
  pool.on("error", () => undefined);
  const db = { executeSql: (text: string, values?: unknown[]) => query(pool, text, values) };
  const boss = new PgBoss({ db, schema: QUEUE_SCHEMA, supervise: false, schedule: false });
  // Every failure here also rejects start().
  boss.on("error", () => undefined);
  try {
    await boss.start();
    await boss.stop({ graceful: false });
  } finally {
    await pool.end();
  }
}

/** Passes only connection options, because the queue reads its columns with `pg`'s default types. */
function plain(connection: pg.ClientConfig): pg.ClientConfig {
  const { host, port, user, password, database, ssl, connectionString } = connection;
  const how = { host, port, user, password, database, ssl, connectionString };
  return Object.fromEntries(Object.entries(how).filter(([, value]) => value !== undefined));
}

/** An error may leave open a transaction that the SQL text started, so the connection is closed too. */
async function query(pool: pg.Pool, text: string, values?: unknown[]) {
  const client = await pool.connect();
  try {
    const result = await client.query(text, values);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
