// Detects when the database stops answering, cuts waiting connections, and refuses callers until it answers again.
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import type { Log } from "#kernel/log.ts";
import type { DatabaseClient } from "./client.ts";
import { NoConnection, databaseRefusal } from "./database-error.ts";

export interface Availability {
  /**
   * Every connection is watched from its creation to its end. A connection that waits for an answer for more than
   * `longestAnswer` milliseconds is cut.
   */
  watch(client: DatabaseClient, longestAnswer: number): void;
  /** Settles like `acquire()`, but rejects with `NoConnection` as soon as the database is unavailable. */
  unlessAway<T>(acquire: () => Promise<T>, giveBack: (late: T) => void): Promise<T>;
  close(): void;
}

interface Options {
  log: Log;
  /** Creates a client, not connected yet, for one probe of the database. */
  makeClient: () => DatabaseClient;
}

const LOOK_INTERVAL = 250;
/** A connection that waits for an answer for this long is suspect, and the database is probed. */
const SUSPECT_AFTER = 2000;
const PROBE_WITHIN = 2000;
const BETWEEN_PROBES = 1000;

/** Whether PostgreSQL answered but refused a new connection, so that existing ones may still work. */
const isAlive = (error: unknown): boolean => databaseRefusal(error)?.code === "database.busy";

/**
 * From here, a long statement and a lost connection look the same. A suspect is therefore not cut before a probe on a separate
 * connection. If neither the probe nor any other connection gets an answer, the database is unavailable, and every connection is
 * cut. An answer that shows the suspect's backend as idle means that only this connection was lost.
 */
export function createAvailability({ log, makeClient }: Options): Availability {
  const clients = new Map<DatabaseClient, number>();
  const waiting = new Set<(error: Error) => void>();
  let isAway = false;
  let isProbing = false;

  const suspects = () => [...clients.keys()].filter((client) => client.waitingFor > SUSPECT_AFTER);
  const hasAnsweredSince = (moment: number) => [...clients.keys()].some(({ answeredAt }) => answeredAt > moment);
  const away = () => new NoConnection("unavailable", "the database is not responding");

  function look(): void {
    for (const [client, longestAnswer] of clients) if (client.waitingFor > longestAnswer) client.cut();
    if (!isProbing && (isAway || suspects().length > 0)) void examine();
  }

  async function examine(): Promise<void> {
    isProbing = true;
    try {
      const started = performance.now();
      const lost = await probe(suspects()).catch((error: unknown) => (isAlive(error) ? [] : null));
      if (lost !== null) {
        if (isAway) log.info("the database is responding again");
        isAway = false;
        for (const client of lost) if (client.waitingFor > SUSPECT_AFTER) client.cut();
      } else if (!hasAnsweredSince(started)) {
        if (!isAway) log.error("the database is not responding; refusing calls until it does");
        isAway = true;
        for (const reject of waiting) reject(away());
        // Idle connections are cut too, because their state is unknown.
        for (const client of clients.keys()) client.cut();
      }
      await delay(BETWEEN_PROBES, undefined, { ref: false });
    } finally {
      isProbing = false;
    }
  }

  /** The suspects whose backend is idle. Rejects when the database does not answer in time. */
  async function probe(suspected: readonly DatabaseClient[]): Promise<DatabaseClient[]> {
    const client = makeClient();
    const late = setTimeout(() => {
      // An answer that arrived while this process was busy is not late.
      void turn()
        .then(turn)
        .then(() => client.cut());
    }, PROBE_WITHIN);
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where pid = any ($1) and usename = current_user
          and state <> 'active' and state_change < clock_timestamp() - interval '1 second'`,
        [suspected.flatMap(({ processID }) => processID ?? [])],
      );
      // A pooler reports different process ids. No suspect is then found here, and `longestAnswer` is the only limit.
      const idle = new Set(rows.map(({ pid }) => pid));
      return suspected.filter(({ processID }) => processID !== null && idle.has(processID));
    } finally {
      clearTimeout(late);
      client.cut();
    }
  }

  const looking = setInterval(look, LOOK_INTERVAL).unref();
  return {
    watch(client, longestAnswer) {
      clients.set(client, longestAnswer);
      client.once("end", () => clients.delete(client));
    },
    async unlessAway(acquire, giveBack) {
      if (isAway) throw away();
      const { promise: found, reject } = Promise.withResolvers<never>();
      waiting.add(reject);
      const acquired = acquire();
      try {
        return await Promise.race([acquired, found]);
      } catch (error) {
        acquired.then(giveBack, () => undefined);
        throw error;
      } finally {
        waiting.delete(reject);
      }
    },
    close() {
      clearInterval(looking);
    },
  };
}
