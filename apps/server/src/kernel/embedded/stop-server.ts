// Stops a database server so that the next start needs no recovery.
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Running, Site } from "./bring-up.ts";
import { probe } from "./connect.ts";
import type { Folders } from "./folders.ts";
import { isZombie, parentOf, serverPid, worksOn } from "./server-process.ts";

/** Time limit of a fast shutdown, including its checkpoint, before an immediate one. */
const PATIENCE = 30_000;
/** Closed connections, including our own, may still be counted for this long. */
const CLOSING = 1000;

/**
 * Stops our child, or an adopted server whose supervisor is gone. Leaves a server to its living supervisor, and a server
 * that may outlive us to its connected clients.
 */
export async function stopServer(
  running: Running,
  { folders, lingers }: Pick<Site, "folders" | "lingers">,
): Promise<void> {
  if (running.kind === "spawned") {
    if (lingers && (await isInUse(folders))) return;
    return await endProcess(running.child);
  }
  await running.watch.end();
  const pid = serverPid(folders.cluster);
  // In another container the number means another process.
  if (pid === null || !worksOn(pid, folders.cluster) || hasSupervisor(pid, folders)) return;
  if (await isInUse(folders)) return;
  process.kill(pid, "SIGINT");
  for (const end = Date.now() + PATIENCE; isRunning(pid) && Date.now() < end;) await delay(10);
}

/** SIGINT is a fast shutdown; SIGQUIT is immediate (the next start recovers without loss). */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.ref();
  const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGINT");
  const impatience = setTimeout(() => child.kill("SIGQUIT"), PATIENCE);
  await exit;
  clearTimeout(impatience);
}

/** Whether others are connected. Every live Strongroom always is. */
async function isInUse(folders: Folders): Promise<boolean> {
  const found = await probe(folders);
  if (found.kind !== "ready") return false;
  try {
    for (const end = Date.now() + CLOSING; Date.now() < end; await delay(20)) {
      const others = await found.client.query(
        "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1",
      );
      if (others.rows.length === 0) return false;
    }
    return true;
  } finally {
    await found.client.end();
  }
}

/** An orphan's parent is no longer the process that started it. */
function hasSupervisor(pid: number, { home }: Folders): boolean {
  try {
    return parentOf(pid) === Number.parseInt(readFileSync(join(home, "supervisor.pid"), "utf8"), 10);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
