// Checks whether the database accepts a write, within a time limit and on a separate connection.
import type { Clock } from "#kernel/clock.ts";
import type { DatabaseClient } from "./client.ts";
import { databaseRefusal } from "./database-error.ts";
import type { Database } from "./database.ts";

export interface WriteResult {
  /** Null when the write was committed; otherwise one plain sentence. */
  problem: string | null;
  /** The least number of milliseconds by which the database's clock is ahead of this process's clock; null without a write. */
  clockAhead: number | null;
}

export interface WriteProbe {
  /** Settles within two seconds, whatever the state of the database. Never rejects. */
  write(): Promise<WriteResult>;
  close(): void;
}

const WITHIN_MS = 2000;
/** Calls within this time get the same result, because the call is public. */
const KEPT_MS = 1000;

const PROBLEMS: Record<string, string> = {
  "database.full": "The database's disk is full",
  "database.read-only": "The database is not accepting changes",
  "database.busy": "The database is too busy to save anything",
  "database.pooler-mode": "The connection pooler in front of the database is not in session mode",
};

/** Does not use the pool: callers waiting there may be waiting because of the failure itself. */
export function createWriteProbe(database: Database, clock: Clock): WriteProbe {
  let client: DatabaseClient | null = null;
  let latest: Promise<WriteResult> | null = null;
  let isClosed = false;

  async function update(): Promise<WriteResult> {
    client ??= await connect();
    const sentAt = clock.now().getTime();
    const { rows } = await client.query<{ now: Date }>(
      "update health_probe set written_at = clock_timestamp() where id = 1 returning clock_timestamp() as now",
    );
    if (rows[0] === undefined) throw new Error("the health probe's row is missing");
    const receivedAt = clock.now().getTime();
    const theirs = rows[0].now.getTime();
    const clockAhead = theirs > receivedAt ? theirs - receivedAt : Math.min(0, theirs - sentAt);
    return { problem: null, clockAhead };
  }

  async function connect(): Promise<DatabaseClient> {
    const fresh = await database.listenConnection(WITHIN_MS);
    fresh.once("end", () => {
      if (client === fresh) client = null;
    });
    if (isClosed) fresh.cut();
    // A statement that waits for a lock would keep waiting after its connection is cut.
    await fresh.query(`set statement_timeout = ${WITHIN_MS - 500}`);
    return fresh;
  }

  /**
   * A connection that was lost after the last probe does not mean that the database failed, so a second try uses a new
   * connection.
   */
  async function updateOnceMore(): Promise<WriteResult> {
    const isUsed = client !== null;
    try {
      return await update();
    } catch (error) {
      if (!isUsed || databaseRefusal(error)?.code !== "database.unavailable") throw error;
      forget();
      return update();
    }
  }

  function forget(): void {
    client?.cut();
    client = null;
  }

  async function write(): Promise<WriteResult> {
    const { promise: tooLong, resolve } = Promise.withResolvers<WriteResult>();
    const late: WriteResult = { problem: "The database did not save anything within 2 seconds", clockAhead: null };
    const timer = setTimeout(() => resolve(late), WITHIN_MS);
    const written = updateOnceMore().catch((error: unknown): WriteResult => {
      const code = databaseRefusal(error)?.code ?? "";
      return { problem: PROBLEMS[code] ?? "The database cannot be reached", clockAhead: null };
    });
    const result = await Promise.race([written, tooLong]);
    clearTimeout(timer);
    if (result.problem !== null) forget();
    return result;
  }

  return {
    write() {
      latest ??= write().finally(() => setTimeout(() => (latest = null), KEPT_MS).unref());
      return latest;
    },
    close() {
      isClosed = true;
      forget();
    },
  };
}
