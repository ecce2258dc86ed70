// The queue behind our jobs: pg-boss in a schema of its own, with few connections.
import { PgBoss } from "pg-boss";
import type pg from "pg";

export const QUEUE_SCHEMA = "jobs";

/** Connections of the queue's own pool; one more listens. */
const CONNECTIONS = 4;

export function openQueue(connection: pg.PoolConfig, hasSchedules: boolean): PgBoss {
  return new PgBoss({
    ...plain(connection),
    application_name: "strongroom jobs",
    schema: QUEUE_SCHEMA,
    max: CONNECTIONS,
    useListenNotify: true,
    schedule: hasSchedules,
    // How soon a job of a process that was killed goes to another: its missing heartbeat is noticed on this beat.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  });
}

/** Makes or upgrades the queue's tables, so that a later start finds them. */
export async function installQueue(connection: pg.ClientConfig): Promise<void> {
  const queue = new PgBoss({ ...plain(connection), schema: QUEUE_SCHEMA, max: 1, supervise: false, schedule: false });
  // Whatever goes wrong here also rejects start().
  queue.on("error", () => undefined);
  await queue.start();
  await queue.stop({ graceful: false });
}

/** Only how to connect: the queue reads its own columns with `pg`'s usual types. */
function plain(connection: pg.ClientConfig) {
  const { host, port, user, password, database, ssl, connectionString } = connection;
  const how = { host, port, user, password, database, ssl, connectionString };
  return Object.fromEntries(Object.entries(how).filter(([, value]) => value !== undefined)) as {
    host?: string;
    port?: number;
    connectionString?: string;
  };
}
