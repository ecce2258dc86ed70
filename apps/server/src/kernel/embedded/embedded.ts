// The supervisor of the embedded database: a real PostgreSQL as a private child process on a unix socket.
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "#kernel/log.ts";
import { findBinaries } from "./binaries.ts";
import { bringUp } from "./bring-up.ts";
import type { Running, Site } from "./bring-up.ts";
import { clusterMajor, makeCluster } from "./cluster.ts";
import { applicationConnection, superuserConnection } from "./connect.ts";
import { prepareFolders } from "./folders.ts";
import { serverLog } from "./server-log.ts";
import { ensureReachable } from "./server-user.ts";
import { stopServer } from "./stop-server.ts";

export interface Embedded {
  /** As the application's role, which owns its database and nothing else. */
  connection: pg.PoolConfig;
  /** As PostgreSQL's superuser, for backups and checks only. */
  administration: pg.ClientConfig;
  /** True when a server was already running there and was taken over. */
  adopted: boolean;
  /**
   * Fast shutdown; waits until the server has ended. Left alone are a server that another live Strongroom started, and
   * one that others are connected to, when it was adopted or `lingers`.
   */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataFolder: string;
  log: Log;
  /**
   * For what works for a moment only, such as a command: a server that it started goes on when a Strongroom that began
   * meanwhile uses it, and is stopped by that one.
   */
  lingers?: boolean;
  /** For an untrusted database: its server has no network access, if the system supports that. */
  isIsolated?: boolean;
}

/**
 * Starts the server of `<dataFolder>/postgres`, or takes over the one that runs there, and keeps it running: when it
 * dies it is started again. Throws `StartError` with one sentence when it cannot.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataFolder, log, lingers = false, isIsolated = false } = options;
  const folders = prepareFolders(dataFolder);
  const binaries = findBinaries(clusterMajor(folders.cluster), folders.libraries);
  folders.user = ensureReachable(folders.user, binaries.folder, dataFolder);
  if (folders.user.mayEnterAnyFolder) {
    log.warn(
      { folder: folders.home },
      "only root may enter the way to the database: its server keeps the right to look into any folder",
    );
  }
  if (clusterMajor(folders.cluster) === null) await makeCluster(folders, binaries);
  const stopping = new AbortController();
  const site: Site = { folders, binaries, log, signal: stopping.signal, lingers, isIsolated };
  return supervise(await bringUp(site), site, stopping);
}

/** Milliseconds before each further attempt to start a server that died. */
const PAUSES = [0, 250, 1000, 2000, 5000, 10_000, 30_000];
/** A server that ran this long counts as healthy, so that its end is answered at once. */
const HEALTHY = 60_000;

function supervise(first: Running, site: Site, stopping: AbortController): Embedded {
  const { folders, log, signal } = site;
  let current: Running | null = first;
  let restart: Promise<void> | null = null;
  let attempts = 0;

  function watch(running: Running): void {
    const startedAt = Date.now();
    void running.ended.then((how) => {
      if (signal.aborted) return;
      current = null;
      // An adopted server may have been stopped by its own supervisor, which says nothing about its health.
      if (running.kind === "adopted" || Date.now() - startedAt > HEALTHY) attempts = 0;
      log.error({ how }, "the database server ended unexpectedly; starting it again");
      restart = bringBack();
    });
  }

  async function bringBack(): Promise<void> {
    while (!signal.aborted) {
      try {
        await delay(PAUSES[Math.min(attempts++, PAUSES.length - 1)], undefined, { signal });
        current = await bringUp(site);
        log.info("the database server runs again");
        return watch(current);
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, "the database server does not start; trying again");
      }
    }
  }

  const output = serverLog(folders.log, folders.user);
  const rotation = setInterval(() => output.rotate(), 10 * 60_000).unref();
  // Where the kernel cannot tell the server of our end, at least an orderly one does.
  const onExit = (): void => {
    if (current?.kind === "spawned" && !site.lingers) current.child.kill("SIGINT");
  };
  process.once("exit", onExit);
  watch(first);

  async function stop(): Promise<void> {
    stopping.abort();
    clearInterval(rotation);
    process.off("exit", onExit);
    await restart;
    if (current !== null) await stopServer(current, site);
  }

  let stopped: Promise<void> | null = null;
  return {
    connection: applicationConnection(folders),
    administration: superuserConnection(folders),
    adopted: first.kind === "adopted",
    stop: () => (stopped ??= stop()),
  };
}
