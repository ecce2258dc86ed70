// Finds the state of a database server that another Strongroom process may have left running.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export type ServerState =
  /** No pid file exists, or its process has exited. PostgreSQL removes a stale pid file when it starts. */
  | { kind: "none" }
  /** The server is running, starting or stopping. */
  | { kind: "alive"; pid: number }
  /** The server is a zombie: it has ended but was not reaped. PostgreSQL counts it as alive. */
  | { kind: "zombie"; pid: number }
  /** The pid now belongs to a different program, and no process uses this cluster, so the pid file is stale. */
  | { kind: "reused"; pid: number };

/** Reads a cluster's `postmaster.pid` and checks the process that it names. */
export function serverState(cluster: string): ServerState {
  const pid = serverPid(cluster);
  if (pid === null) return { kind: "none" };
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return { kind: "none" };
  }
  if (isZombie(pid)) return { kind: "zombie", pid };
  if (process.platform === "linux" && !worksOn(pid, cluster) && !isAnyoneWorkingOn(cluster))
    return { kind: "reused", pid };
  return { kind: "alive", pid };
}

/**
 * The process id in the first line of postmaster.pid; null without the file, or for a stand-alone backend (whose number is
 * negative).
 */
export function serverPid(cluster: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(join(cluster, "postmaster.pid"), "utf8"), 10);
    return pid > 0 ? pid : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export function isZombie(pid: number): boolean {
  return status(pid).startsWith("Z");
}

/** Whether the process's working directory is the data folder, as for PostgreSQL. True if the directory cannot be determined. */
export function worksOn(pid: number, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT" || process.platform !== "linux";
  }
}

function isAnyoneWorkingOn(cluster: string): boolean {
  return readdirSync("/proc").some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readlinkSync(`/proc/${entry}/cwd`) === cluster;
    } catch {
      // The process is gone, or it belongs to another user, who cannot use this cluster: only its owner can.
      return false;
    }
  });
}

/** The state of the process, such as "Z"; empty if the process has ended. */
function status(pid: number): string {
  try {
    if (process.platform !== "linux") {
      const args = ["-o", "stat=", "-p", String(pid)];
      return execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    }
    // proc(5): the name may contain any character and ends with the last parenthesis; the state follows.
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2);
  } catch {
    return "";
  }
}
