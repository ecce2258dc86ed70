// Ends this process's use of a database server. The last user waits until the server has stopped, so that the next start needs no
// recovery.
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { SUPERVISOR, probe, setKeepsAlive } from "./connect.ts";
import type { Folders } from "./folders.ts";
import { hasServerEnded, leaveUsers } from "./guardian.ts";
import type { Membership } from "./guardian.ts";
import { isZombie, serverPid, worksOn } from "./server-process.ts";

export interface Running {
  kind: "spawned" | "adopted";
  /** Settles with the reason when the server has ended, or when the connection to an adopted server was lost. */
  ended: Promise<string>;
  /**
   * This connection stays open. It shows other Strongrooms that this one uses the server, and detects the end of an adopted
   * server.
   */
  watch: pg.Client;
  /** Keeps the server running. Null for an adopted server without a guardian. */
  membership: Membership | null;
}

/** A guardian stops its server immediately after 30 s. */
const PATIENCE = 35_000;
/** Closed connections, including our own, may still be counted for this long. */
const CLOSING = 1000;

/** Releases a server, for example one that was lost, without waiting for it to end. */
export async function releaseServer({ membership, watch }: Running): Promise<void> {
  await endWatch(watch);
  if (membership !== null) leaveUsers(membership);
}

async function endWatch(watch: pg.Client): Promise<void> {
  setKeepsAlive(watch, true);
  // Ending a connection that was lost fails.
  await watch.end().catch(() => undefined);
}

/** Releases a server. If no other Strongroom uses it, waits until the server has stopped. */
export async function stopServer(running: Running, folders: Folders): Promise<void> {
  await endWatch(running.watch);
  if (running.membership === null) return await stopUnguarded(folders);
  await leaveAndWait(running.membership, running.kind === "spawned" ? running.ended : null, folders);
}

/** `ended` settles when the guardian ends, if the guardian is a child of this process. */
export async function leaveAndWait(
  membership: Membership,
  ended: Promise<string> | null,
  folders: Folders,
): Promise<void> {
  const isShared = await hasConnections(folders, SUPERVISOR);
  leaveUsers(membership);
  if (isShared) return;
  let hasEnded = false;
  void ended?.then(() => (hasEnded = true));
  const isOver = ended === null ? () => hasServerEnded(membership) : () => hasEnded;
  for (const end = Date.now() + PATIENCE; !isOver() && Date.now() < end;) await delay(10);
}

/**
 * For a server without a guardian, such as one that an older version started. Leaves the server running if it has other
 * connections.
 */
async function stopUnguarded(folders: Folders): Promise<void> {
  const pid = serverPid(folders.cluster);
  // In a different container, the process id refers to a different process.
  if (pid === null || !worksOn(pid, folders.cluster) || (await hasConnections(folders, null))) return;
  process.kill(pid, "SIGINT");
  for (const end = Date.now() + PATIENCE; isRunning(pid) && Date.now() < end;) await delay(10);
}

/** Whether other clients are connected. With `name`, only clients of that name count. */
async function hasConnections(folders: Folders, name: string | null): Promise<boolean> {
  const found = await probe(folders);
  if (found.kind !== "ready") return false;
  try {
    for (const end = Date.now() + CLOSING; Date.now() < end; await delay(20)) {
      const others = await found.client.query(
        `select from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid() and ($1::text is null or application_name = $1)
         limit 1`,
        [name],
      );
      if (others.rows.length === 0) return false;
    }
    return true;
  } finally {
    await found.client.end();
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
