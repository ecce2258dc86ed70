// Runs LISTEN on a separate connection that is kept alive. Notifications are only hints, and gaps are reported.
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "#kernel/log.ts";
import type { DatabaseClient } from "./client.ts";
import type { Database } from "./database.ts";

export interface Listener {
  close(): Promise<void>;
}

const HEARTBEAT_INTERVAL = 15_000;
const RECONNECT_PAUSES = [100, 500, 1000, 2000];

/**
 * Calls `heard` for each notification on `channel`. Calls `listening` whenever listening starts or restarts, because
 * notifications may have been missed before. Returns once it listens for the first time, and then reconnects automatically until
 * closed.
 */
export async function listen(
  database: Database,
  channel: string,
  log: Log,
  listening: () => void,
  heard: (payload: string) => void = listening,
): Promise<Listener> {
  const closing = new AbortController();
  let client: DatabaseClient | null = null;

  async function connect(): Promise<DatabaseClient> {
    const fresh = await database.listenConnection();
    fresh.on("notification", ({ payload }) => heard(payload ?? ""));
    try {
      await fresh.query(`listen "${channel}"`);
    } catch (error) {
      fresh.cut();
      throw error;
    }
    return fresh;
  }

  function watch(fresh: DatabaseClient): void {
    client = fresh;
    const heartbeat = setInterval(() => {
      // This detects a connection that was lost silently. Cutting the connection leads to "end".
      const late = setTimeout(() => fresh.cut(), HEARTBEAT_INTERVAL / 3);
      fresh.query("select 1").then(
        () => clearTimeout(late),
        () => clearTimeout(late),
      );
    }, HEARTBEAT_INTERVAL).unref();
    fresh.once("end", () => {
      clearInterval(heartbeat);
      client = null;
      if (closing.signal.aborted) return;
      log.warn({ channel }, "the connection for notifications was lost; connecting again");
      void reconnect();
    });
    listening();
  }

  async function reconnect(): Promise<void> {
    for (let attempt = 0; !closing.signal.aborted; attempt++) {
      const pause = RECONNECT_PAUSES[Math.min(attempt, RECONNECT_PAUSES.length - 1)];
      try {
        await delay(pause, undefined, { signal: closing.signal, ref: false });
        const fresh = await connect();
        if (closing.signal.aborted) return await fresh.end();
        return watch(fresh);
      } catch (error) {
        if (!closing.signal.aborted) log.warn({ err: error, channel }, "could not listen for notifications");
      }
    }
  }

  watch(await connect());
  return {
    async close() {
      closing.abort();
      await client?.end();
    },
  };
}
