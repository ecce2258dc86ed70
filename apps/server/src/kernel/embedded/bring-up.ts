// Starts the server of a database folder in any state: adopts a running one, waits, recovers, or spawns one.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chownSync, closeSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import type { Binaries } from "./binaries.ts";
import { serverArguments, serverEnvironment } from "./cluster.ts";
import { ensureDatabase, probe } from "./connect.ts";
import type { Folders } from "./folders.ts";
import { SOCKET_PORT } from "./folders.ts";
import { lastFatal, serverLog } from "./server-log.ts";
import { serverPid, serverState } from "./server-process.ts";
import { commandAs } from "./server-user.ts";
import { endProcess } from "./stop-server.ts";

export interface Site {
  folders: Folders;
  binaries: Binaries;
  log: Log;
  /** Aborted when the server is no longer needed. */
  signal: AbortSignal;
  /** A server that we start may outlive us. */
  lingers: boolean;
  /** Runs it without network access, if the system supports that. */
  isIsolated: boolean;
}

export type Running = {
  /** Settles with the reason when the server has ended. */
  ended: Promise<string>;
} & (
  | { kind: "spawned"; child: ChildProcess }
  /** `watch` stays open to detect the end of a server that is not our child. */
  | { kind: "adopted"; watch: pg.Client }
);

const ZOMBIE_PATIENCE = 20_000;
const PREDECESSOR_PATIENCE = 60_000;
const SHORT = 20;

/** Throws `StartError` if it cannot succeed, and the signal's reason if aborted. */
export async function bringUp(context: Site): Promise<Running> {
  const { folders, log, signal } = context;
  const started = Date.now();
  for (;;) {
    signal.throwIfAborted();
    const found = await probe(folders);
    if (found.kind === "ready") return await adopt(found.client);
    const state = serverState(folders.cluster);
    const waited = Date.now() - started;
    if (state.kind === "zombie" && waited > ZOMBIE_PATIENCE) {
      throw new StartError(
        `The previous database server (process ${state.pid}) has exited but its parent has not reaped it: ` +
          'run the container with an init (such as "docker run --init") and start it again.',
      );
    }
    if (state.kind === "alive" && found.kind === "absent" && waited > PREDECESSOR_PATIENCE) {
      throw new StartError(
        `A database server (process ${state.pid}) uses ${folders.cluster} but does not respond: stop it, then start again.`,
      );
    }
    if (state.kind === "reused") forgetStalePid(state.pid, folders, log);
    if (found.kind === "absent" && (state.kind === "none" || state.kind === "reused")) {
      const running = await spawnServer(context, started + PREDECESSOR_PATIENCE);
      if (running !== null) return running;
    }
    await delay(SHORT, undefined, { signal });
  }
}

async function adopt(watch: pg.Client): Promise<Running> {
  const ended = new Promise<string>((resolve) => watch.once("end", () => resolve("the connection to it was lost")));
  try {
    await ensureDatabase(watch);
  } catch (error) {
    await watch.end();
    throw error;
  }
  return { kind: "adopted", watch, ended };
}

/** After a machine crash, the pid in the file may belong to another program, which PostgreSQL would mistake for its server. */
function forgetStalePid(pid: number, { cluster, socket }: Folders, log: Log): void {
  log.warn({ pid }, "removing a stale pid file that names another program's process");
  rmSync(join(cluster, "postmaster.pid"), { force: true });
  const lock = join(socket, `.s.PGSQL.${SOCKET_PORT}.lock`);
  if (firstNumber(lock) === pid) rmSync(lock, { force: true });
}

function firstNumber(file: string): number | null {
  try {
    return Number.parseInt(readFileSync(file, "utf8"), 10);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Null if another start's server, or remains of the previous one, blocked it: check the state again. */
async function spawnServer(context: Site, giveUpAt: number): Promise<Running | null> {
  const { folders, log, signal } = context;
  const output = serverLog(folders.log, folders.user);
  output.rotate();
  const before = output.size();
  const child = launch(context, output.open());
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, killer) => resolve(killer ?? `exit code ${code}`));
  });
  let how: string | null = null;
  void ended.then((reason) => (how = reason));
  try {
    await untilAnswering(folders, child, () => how !== null, log, signal);
  } catch (error) {
    await endProcess(child);
    throw error;
  }
  if (how === null) {
    const note = join(folders.home, "supervisor.pid");
    writeFileSync(note, `${process.pid}\n`);
    // The next supervisor may run as that user and overwrites it.
    if (folders.user.isDropped) chownSync(note, folders.user.uid, folders.user.gid);
    // It does not keep an otherwise idle process alive.
    child.unref();
    return { kind: "spawned", child, ended };
  }
  const fatal = lastFatal(output.since(before));
  // Also if another start has created the lock file but not written it yet.
  if (fatal !== null && /already exists|still in use|already in use|lock file .* is empty/.test(fatal)) {
    if (Date.now() < giveUpAt) return null;
  }
  throw new StartError(`The database server did not start (${fatal ?? how}); its log is in ${folders.log}.`);
}

function launch({ folders, binaries, lingers, isIsolated }: Site, output: number): ChildProcess {
  const program = join(binaries.folder, "postgres");
  const { file, args, options } = commandAs(folders.user, program, serverArguments(folders), {
    outlivesUs: lingers,
    isIsolated,
  });
  try {
    return spawn(file, args, {
      ...options,
      cwd: "/",
      env: serverEnvironment(binaries),
      stdio: ["ignore", output, output],
      // Its own process group, so that Ctrl-C reaches only us; we stop the server last.
      detached: true,
    });
  } finally {
    closeSync(output);
  }
}

/** Returns when our child answers or has ended. Recovery after a crash may take minutes and is logged meanwhile. */
async function untilAnswering(
  folders: Folders,
  child: ChildProcess,
  hasEnded: () => boolean,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  let loggedAt = Date.now();
  while (!hasEnded()) {
    const found = await probe(folders);
    if (found.kind === "ready") {
      try {
        // Another start may have been faster; our child then ends soon.
        if (serverPid(folders.cluster) === child.pid) return await ensureDatabase(found.client);
      } finally {
        await found.client.end();
      }
    }
    if (Date.now() - loggedAt > 10_000) {
      loggedAt = Date.now();
      log.info({ detail: found.kind === "busy" ? found.message : "no answer yet" }, "waiting for the database server");
    }
    await delay(SHORT, undefined, { signal });
  }
}
