// Gets from whatever state a database folder is in to a server that answers: adopts, waits, recovers, or spawns.
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
  /** Aborted when nobody wants the server any more. */
  signal: AbortSignal;
  /** A server that we start may go on without us. */
  lingers: boolean;
  /** Runs it without network access, if the system supports that. */
  isIsolated: boolean;
}

export type Running = {
  /** Settles, with how it ended, when the server has gone. */
  ended: Promise<string>;
} & (
  | { kind: "spawned"; child: ChildProcess }
  /** `watch` is held open to notice the end of a server that is not our child. */
  | { kind: "adopted"; watch: pg.Client }
);

const ZOMBIE_PATIENCE = 20_000;
const PREDECESSOR_PATIENCE = 60_000;
const SHORT = 20;

/** Throws `StartError` when it cannot succeed, and the signal's reason when it is aborted. */
export async function bringUp(site: Site): Promise<Running> {
  const { folders, log, signal } = site;
  const begun = Date.now();
  for (;;) {
    signal.throwIfAborted();
    const found = await probe(folders);
    if (found.kind === "ready") return await adopt(found.client);
    const state = serverState(folders.cluster);
    const waited = Date.now() - begun;
    if (state.kind === "zombie" && waited > ZOMBIE_PATIENCE) {
      throw new StartError(
        `The former database server (process ${state.pid}) has ended but its parent takes no note of it: ` +
          'run the container with an init (such as "docker run --init") and start it again.',
      );
    }
    if (state.kind === "alive" && found.kind === "absent" && waited > PREDECESSOR_PATIENCE) {
      throw new StartError(
        `A database server (process ${state.pid}) works on ${folders.cluster} but does not answer: stop it, then start again.`,
      );
    }
    if (state.kind === "reused") forgetStalePid(state.pid, folders, log);
    if (found.kind === "absent" && (state.kind === "none" || state.kind === "reused")) {
      const running = await spawnServer(site, begun + PREDECESSOR_PATIENCE);
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

/** After a crash of the machine the number in the pid file may be another program's, which PostgreSQL takes for itself. */
function forgetStalePid(pid: number, { cluster, socket }: Folders, log: Log): void {
  log.warn({ pid }, "the pid file of a database server that is gone names another program's process: removing it");
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

/** Null when another start's server, or the remains of the former one, were in the way: look again. */
async function spawnServer(site: Site, giveUpAt: number): Promise<Running | null> {
  const { folders, log, signal } = site;
  const output = serverLog(folders.log, folders.user);
  output.rotate();
  const before = output.size();
  const child = launch(site, output.open());
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
    // The next supervisor may be that user, and overwrites it.
    if (folders.user.isDropped) chownSync(note, folders.user.uid, folders.user.gid);
    // It does not keep a process going that has nothing else to do.
    child.unref();
    return { kind: "spawned", child, ended };
  }
  const fatal = lastFatal(output.since(before));
  // Also when another start has created the lock file and not written it yet.
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
      // Its own process group: Ctrl-C in the terminal is for us, and we stop the server last.
      detached: true,
    });
  } finally {
    closeSync(output);
  }
}

/** Returns when our child answers, or when it has ended. Recovery after a crash may take minutes; it says so meanwhile. */
async function untilAnswering(
  folders: Folders,
  child: ChildProcess,
  hasEnded: () => boolean,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  let saidAt = Date.now();
  while (!hasEnded()) {
    const found = await probe(folders);
    if (found.kind === "ready") {
      try {
        // Another start may have been faster; then our child is about to end.
        if (serverPid(folders.cluster) === child.pid) return await ensureDatabase(found.client);
      } finally {
        await found.client.end();
      }
    }
    if (Date.now() - saidAt > 10_000) {
      saidAt = Date.now();
      log.info({ said: found.kind === "busy" ? found.message : "no answer yet" }, "waiting for the database server");
    }
    await delay(SHORT, undefined, { signal });
  }
}
