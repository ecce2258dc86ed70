// Runs the entry script of `npm start` as a separate process and captures its output.
import { entrance } from "@strongroom/contract";
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ownEnvironment } from "./environment.ts";
import { ask } from "./people.ts";
import { SETUP_LINK } from "./server.ts";

const root = join(import.meta.dirname, "../..");

export const isRoot = process.getuid?.() === 0;

/** An ordinary user: `nobody` if the tests run as root, otherwise the current user. */
export const ordinaryUser: { uid: number; gid: number } = isRoot
  ? { uid: idOf("-u"), gid: idOf("-g") }
  : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

/** A folder owned by that user, which `remove` deletes. */
export function folderOf({ uid, gid }: { uid: number; gid: number }): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "strongroom-start-"));
  if (isRoot) chownSync(path, uid, gid);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  pid: number;
  /** Rejects if the script ends before the server is ready. */
  ready: Promise<{ url: string; setupLink: string | null; afterMs: number }>;
  ended: Promise<Ended>;
  /** Signals only the script, as a service manager does. */
  kill(signal: NodeJS.Signals): void;
  /** Signals the script's whole process group, as Ctrl-C in a terminal does. */
  interrupt(): void;
}

const running = new Set<number>();

/** Cleans up the remaining processes after a failed test. */
export function endWhatStillRuns(): void {
  for (const pid of running) killGroup(pid, "SIGKILL");
}

export interface StartOptions {
  env?: Record<string, string>;
  as?: { uid: number; gid: number };
}

/** Uses a free port unless `env` sets one. */
export function runStart(dataFolder: string, { env = {}, as }: StartOptions = {}): Started {
  const started = performance.now();
  const child = spawn(process.execPath, [join(root, "scripts/start.mjs")], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: ownEnvironment({ PORT: "0", STRONGROOM_DATA: dataFolder, ...env }),
    ...(as !== undefined && isRoot ? as : {}),
  });
  const pid = child.pid ?? 0;
  running.add(pid);
  let printed = "";
  const news = new Set<() => void>();
  child.stdout.on("data", (chunk) => {
    printed += chunk;
    for (const tell of news) tell();
  });
  const exit = new Promise<Pick<Ended, "status" | "signal">>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status, signal) => resolve({ status, signal }));
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), exit]).then(([stdout, stderr, how]) => {
    running.delete(pid);
    return { ...how, stdout, stderr };
  });

  /** Returns the first capture group of a line once the line is printed. Rejects if the script ends earlier. */
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(printed)?.[1];
        if (found !== undefined) resolve(found);
      };
      news.add(look);
      look();
      void ended.then((how) => reject(new Error(`it ended before it was ready: ${JSON.stringify(how)}`)), reject);
    });

  async function greeting(): Promise<Awaited<Started["ready"]>> {
    const url = await line(/Strongroom is at (\S+)\n/);
    const afterMs = performance.now() - started;
    const { needs_setup: needsSetup } = await ask(url, entrance);
    return { url, setupLink: needsSetup ? await line(SETUP_LINK) : null, afterMs };
  }
  const ready = greeting();
  // Tests that expect a failure use only `ended`.
  ready.catch(() => undefined);
  return { pid, ready, ended, kill: (signal) => child.kill(signal), interrupt: () => killGroup(pid, "SIGINT") };
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * The processes that have that folder as their working directory or as an argument, as "pid: command" (Linux only; empty
 * elsewhere).
 */
export function processesOf(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => isOf(pid, folder))
    .map((pid) => `${pid}: ${readOf(pid, "cmdline").replaceAll("\0", " ").trim()}`);
}

function isOf(pid: string, folder: string): boolean {
  const known = `${readOf(pid, "cmdline")}\0${readOf(pid, "environ")}`;
  if (known.includes(folder)) return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    return false; // The process has ended, or belongs to another user.
  }
}

function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // The process has ended, or belongs to another user.
  }
}
