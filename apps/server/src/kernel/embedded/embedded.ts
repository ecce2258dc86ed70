// The supervisor of the embedded database: a real PostgreSQL as a private child process on a unix socket.
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "#kernel/log.ts";
import { findBinaries } from "./binaries.ts";
import { bringUp } from "./bring-up.ts";
import type { Site } from "./bring-up.ts";
import type { Running } from "./stop-server.ts";
import { clusterMajor, makeCluster } from "./cluster.ts";
import { applicationConnection, superuserConnection } from "./connect.ts";
import { prepareFolders } from "./folders.ts";
import { serverLog } from "./server-log.ts";
import { ensureReachable } from "./server-user.ts";
import { releaseServer, stopServer } from "./stop-server.ts";

export interface Embedded {
  /** Connects as the application's role, which owns only its database. */
  connection: pg.PoolConfig;
  /** Connects as PostgreSQL's superuser, only for backups and checks. */
  administration: pg.ClientConfig;
  /** Whether a running server was adopted. */
  adopted: boolean;
  /**
   * Releases the server. While another Strongroom uses the server, it keeps running. Otherwise it is shut down fast, and this
   * function waits until it has ended. A process that dies without calling this function releases the server too.
   */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataFolder: string;
  log: Log;
  /** For an untrusted database: the server has no network access, if the system supports that. */
  isIsolated?: boolean;
}

/**
 * Starts the server of `<dataFolder>/postgres`, or adopts a running one, and restarts the server when it dies. Throws a
 * one-sentence `StartError` on failure.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataFolder, log, isIsolated = false } = options;
  const folders = prepareFolders(dataFolder);
  const binaries = findBinaries(clusterMajor(folders.cluster), folders.libraries);
  folders.user = ensureReachable(folders.user, binaries.folder, dataFolder);
  if (folders.user.mayEnterAnyFolder) {
    log.warn(
      { folder: folders.home },
      "only root can enter a folder above the database, so its server keeps the privilege to enter any folder",
    );
  }
  if (clusterMajor(folders.cluster) === null) await makeCluster(folders, binaries);
  const stopping = new AbortController();
  const context: Site = { folders, binaries, log, signal: stopping.signal, isIsolated };
  return supervise(await bringUp(context), context, stopping);
}

/** The delays in milliseconds before the restart of a server that died, by how often one died soon after its start. */
const PAUSES = [0, 250, 1000, 2000];
/** The delays before each retry of a failed start. */
const FAILURE_PAUSES = [250, 1000, 2000, 5000, 10_000, 30_000];
const pauseOf = (pauses: readonly number[], count: number): number => pauses[Math.min(count, pauses.length - 1)]!;
/** A server that ran this long counts as healthy, so it is restarted immediately. */
const HEALTHY = 60_000;

function supervise(first: Running, context: Site, stopping: AbortController): Embedded {
  const { folders, log, signal } = context;
  let current: Running | null = first;
  let restart: Promise<void> | null = null;
  let deaths = 0;

  function watch(running: Running): void {
    const startedAt = Date.now();
    void running.ended.then((how) => {
      if (signal.aborted) return;
      current = null;
      // Losing the connection to an adopted server does not mean that the server is unhealthy.
      if (running.kind === "adopted" || Date.now() - startedAt > HEALTHY) deaths = 0;
      const pause = pauseOf(PAUSES, deaths++);
      log.error({ how, delay_ms: pause }, "the database server ended unexpectedly; restarting it");
      restart = replace(running, pause);
    });
  }

  async function replace(lost: Running, pause: number): Promise<void> {
    await bringBack(pause);
    // Release the lost server only now: a server that only cut our connection must not stop because its last user left.
    await releaseServer(lost);
  }

  async function bringBack(firstPause: number): Promise<void> {
    let pause = firstPause;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await delay(pause, undefined, { signal });
        current = await bringUp(context);
        log.info("the database server is running again");
        return watch(current);
      } catch (error) {
        pause = pauseOf(FAILURE_PAUSES, failures);
        if (!signal.aborted) log.error({ err: error }, "the database server does not start; retrying");
      }
    }
  }

  const output = serverLog(folders.log, folders.user);
  const rotation = setInterval(() => output.rotate(), 10 * 60_000).unref();
  watch(first);

  async function stop(): Promise<void> {
    stopping.abort();
    clearInterval(rotation);
    await restart;
    if (current !== null) await stopServer(current, folders);
  }

  let stopped: Promise<void> | null = null;
  return {
    connection: applicationConnection(folders),
    administration: superuserConnection(folders),
    adopted: first.kind === "adopted",
    stop: () => (stopped ??= stop()),
  };
}
