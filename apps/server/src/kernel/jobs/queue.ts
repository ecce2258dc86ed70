// The queue behind our jobs: pg-boss in its own schema, on a few connections of its own.
import { PgBoss } from "pg-boss";
import pg from "pg";
import { DatabaseClient } from "#kernel/db/client.ts";
import type { Database } from "#kernel/db/database.ts";
import { listen } from "#kernel/db/listener.ts";
import type { Log } from "#kernel/log.ts";

export const QUEUE_SCHEMA = "jobs";

/** Connections of the queue's own pool; one more listens. */
const CONNECTIONS = 4;

/** Its maintenance deletes and analyses a day's old jobs. */
const LONGEST_STATEMENT_MS = 300_000;

export interface Queue {
  boss: PgBoss;
  /** Ends its connections. After `boss.stop`. */
  close(): Promise<void>;
}

/**
 * pg-boss on connections that we create. INVARIANT: its own would include clients whose "error" event it stops listening to,
 * which ends the process when one of them breaks afterwards.
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
    // How soon a job of a process that was killed goes to another: its missing heartbeat is noticed on this beat.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  });
  return { boss, close: () => pool.end() };
}

/** Makes or upgrades the queue's tables, so that a later start finds them. */
export async function installQueue(connection: pg.ClientConfig): Promise<void> {
  const pool = new pg.Pool({ ...plain(connection), Client: DatabaseClient, max: 1 });
  // A pending query of start() rejects as well.
  pool.on("error", () => undefined);
  const db = { executeSql: (text: string, values?: unknown[]) => query(pool, text, values) };
  const boss = new PgBoss({ db, schema: QUEUE_SCHEMA, supervise: false, schedule: false });
  // Whatever goes wrong here also rejects start().
  boss.on("error", () => undefined);
  try {
    await boss.start();
    await boss.stop({ graceful: false });
  } finally {
    await pool.end();
  }
}

/** Only how to connect: the queue reads its own columns with `pg`'s usual types. */
function plain(connection: pg.ClientConfig): pg.ClientConfig {
  const { host, port, user, password, database, ssl, connectionString } = connection;
  const how = { host, port, user, password, database, ssl, connectionString };
  return Object.fromEntries(Object.entries(how).filter(([, value]) => value !== undefined));
}

/** An error may leave a transaction open that the SQL text began, so the connection is closed too. */
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
