// Starts the server of a database folder in any state: adopts a running server, waits, recovers, or spawns a new one.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import type { Binaries } from "./binaries.ts";
import { serverArguments, serverEnvironment } from "./cluster.ts";
import { ensureDatabase, probe, setKeepsAlive } from "./connect.ts";
import type { Folders } from "./folders.ts";
import { SOCKET_PORT } from "./folders.ts";
import { createPipe, guardianArguments, joinUsers, leaveUsers, pipeOf } from "./guardian.ts";
import type { Membership, NewPipe } from "./guardian.ts";
import { lastFatal, serverLog } from "./server-log.ts";
import { serverState } from "./server-process.ts";
import { commandAs } from "./server-user.ts";
import { leaveAndWait } from "./stop-server.ts";
import type { Running } from "./stop-server.ts";

export interface Site {
  folders: Folders;
  binaries: Binaries;
  log: Log;
  /** Aborted when the server is no longer needed. */
  signal: AbortSignal;
  /** Whether to run the server without network access, if the system supports that. */
  isIsolated: boolean;
}

const ZOMBIE_PATIENCE = 20_000;
const PREDECESSOR_PATIENCE = 60_000;
/** How long to wait for a server without an answering guardian: either it is stopping, or it has no guardian. */
const GUARDIAN_PATIENCE = 2000;
const SHORT = 20;

/** Throws `StartError` if it cannot succeed, and the signal's reason if aborted. */
export async function bringUp(context: Site): Promise<Running> {
  const { folders, log, signal } = context;
  const started = Date.now();
  let unguardedSince: number | null = null;
  for (;;) {
    signal.throwIfAborted();
    const found = await probe(folders);
    if (found.kind === "ready") {
      unguardedSince ??= Date.now();
      const adopted = await adopt(found.client, folders, Date.now() - unguardedSince > GUARDIAN_PATIENCE);
      if (adopted !== null) return adopted;
    }
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

/** Returns null for a server without a guardian, unless that is acceptable. */
async function adopt(watch: pg.Client, folders: Folders, isUnguardedAcceptable: boolean): Promise<Running | null> {
  const ended = new Promise<string>((resolve) => watch.once("end", () => resolve("the connection to it was lost")));
  let membership: Membership | null = null;
  try {
    const pipe = await pipeOf(watch, folders);
    membership = pipe === null ? null : joinUsers(pipe);
    if (membership !== null || isUnguardedAcceptable) {
      await ensureDatabase(watch);
      setKeepsAlive(watch, false);
      return { kind: "adopted", watch, ended, membership };
    }
  } catch (error) {
    if (membership !== null) leaveUsers(membership);
    await watch.end().catch(() => undefined);
    throw error;
  }
  await watch.end();
  return null;
}

/**
 * After a machine crash, the pid in the file may belong to a different program, which PostgreSQL would mistake for its server.
 */
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

/**
 * Returns null if the server of another start, or remains of the previous server, blocked it. The caller then checks the state
 * again.
 */
async function spawnServer(context: Site, giveUpAt: number): Promise<Running | null> {
  const { folders } = context;
  const output = serverLog(folders.log, folders.user);
  output.rotate();
  const before = output.size();
  const pipe = createPipe(folders);
  const child = launch(context, output.open(), pipe);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, killer) => resolve(killer ?? `exit code ${code}`));
  });
  let how: string | null = null;
  void ended.then((reason) => (how = reason));
  try {
    const watch = await untilAnswering(pipe.pipe, () => how !== null, context);
    if (watch !== null) {
      // The child does not keep an otherwise idle process alive.
      child.unref();
      setKeepsAlive(watch, false);
      return { kind: "spawned", watch, ended, membership: pipe };
    }
  } catch (error) {
    await leaveAndWait(pipe, ended, folders);
    throw error;
  }
  leaveUsers(pipe);
  const fatal = lastFatal(output.since(before));
  // This also happens if another start has created the lock file but not written it yet.
  if (fatal !== null && /already exists|still in use|already in use|lock file .* is empty/.test(fatal)) {
    if (Date.now() < giveUpAt) return null;
  }
  throw new StartError(`The database server did not start (${fatal ?? how}); its log is in ${folders.log}.`);
}

function launch({ folders, binaries, isIsolated }: Site, output: number, pipe: NewPipe): ChildProcess {
  const guardian = guardianArguments(pipe, join(binaries.folder, "postgres"), serverArguments(folders));
  const { file, args, options } = commandAs(folders.user, "sh", guardian, { isIsolated });
  try {
    return spawn(file, args, {
      ...options,
      cwd: "/",
      env: serverEnvironment(binaries),
      stdio: ["ignore", output, output, pipe.reader],
      // The server gets its own process group, so that Ctrl-C reaches only this process, which releases the server last.
      detached: true,
    });
  } finally {
    closeSync(output);
    closeSync(pipe.reader);
  }
}

/**
 * Returns a connection when the server with that pipe answers, and null when it has ended. Recovery after a crash may take
 * minutes and is logged while it runs.
 */
async function untilAnswering(
  pipe: string,
  hasEnded: () => boolean,
  { folders, log, signal }: Site,
): Promise<pg.Client | null> {
  let loggedAt = Date.now();
  while (!hasEnded()) {
    const found = await probe(folders);
    if (found.kind === "ready") {
      try {
        // Another start may have been faster; our server will then end soon.
        if ((await pipeOf(found.client, folders)) === pipe) {
          await ensureDatabase(found.client);
          return found.client;
        }
      } catch (error) {
        await found.client.end().catch(() => undefined);
        throw error;
      }
      await found.client.end();
    }
    if (Date.now() - loggedAt > 10_000) {
      loggedAt = Date.now();
      log.info({ detail: found.kind === "busy" ? found.message : "no answer yet" }, "waiting for the database server");
    }
    await delay(SHORT, undefined, { signal });
  }
  return null;
}
