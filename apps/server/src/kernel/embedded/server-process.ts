// What is known about a database server that some process of ours may have left behind.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export type ServerState =
  /** No pid file, or the process is gone: PostgreSQL clears the file away by itself. */
  | { kind: "none" }
  /** Running, starting or stopping. */
  | { kind: "alive"; pid: number }
  /** Ended, but its parent has not taken note; PostgreSQL counts it as alive. */
  | { kind: "zombie"; pid: number }
  /** The number belongs to another program now and nothing works on this cluster: the pid file means nothing. */
  | { kind: "reused"; pid: number };

/** Reads `postmaster.pid` of a cluster and looks at the process that it names. */
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

/** The first line of postmaster.pid; null without the file, or for a stand-alone backend (negative). */
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
  return status(pid, "stat").startsWith("Z");
}

/** The parent's process id; null when the process is gone. */
export function parentOf(pid: number): number | null {
  const parent = Number.parseInt(status(pid, "ppid"), 10);
  return Number.isNaN(parent) ? null : parent;
}

/** PostgreSQL's processes live in their data folder. Where that cannot be looked up, true: better careful than sorry. */
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
      // Gone meanwhile, or another user's: the cluster is its owner's alone, so no other user works on it.
      return false;
    }
  });
}

function status(pid: number, field: "stat" | "ppid"): string {
  try {
    if (process.platform !== "linux") {
      const args = ["-o", `${field}=`, "-p", String(pid)];
      return execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    }
    // proc(5): after the name, which may hold anything but ends with the last parenthesis, come state and parent.
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (field === "stat" ? state : parent) ?? "";
  } catch {
    // Gone meanwhile.
    return "";
  }
}
