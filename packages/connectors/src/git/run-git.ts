// Runs the git program in a separate folder, without the machine's settings, hooks, prompts and helpers. Only the proxy is reachable.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

const MAX_ERROR_TEXT = 16_384;

/**
 * KiB. A tree of a few kilobytes can contain itself so often that git needs all memory of the machine to compare it. Mapped
 * packs do not count.
 */
const MAX_MEMORY = 2 * 1024 * 1024;
const LIMITED = 'ulimit -d "$0"; exec git "$@"';
/** The shell found no git program. */
const NOT_FOUND = 127;

export type GitProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export interface GitFolder {
  /** The bare repository. */
  path: string;
  signal: AbortSignal;
  /** The only protocol that git may use, and the settings for it. */
  protocol: "http" | "git";
  settings: readonly (readonly [string, string])[];
}

/** Settings replace those of files, and environments are private to the user of the process. */
function environment({ path, protocol, settings: ofProxy }: GitFolder): NodeJS.ProcessEnv {
  const settings = [
    ...ofProxy,
    ["http.followRedirects", "false"],
    ["credential.helper", ""],
    ["core.hooksPath", "/dev/null"],
    ["core.fsmonitor", "false"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    // The pack is stored as it arrives, and not as one file for each object.
    ["fetch.unpackLimit", "1"],
    ["pack.threads", "1"],
    ["core.bigFileThreshold", "16m"],
  ];
  return {
    PATH: process.env["PATH"],
    HOME: path,
    LC_ALL: "C",
    GIT_DIR: path,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** Starts git; it and its own children end with the signal. */
export function startGit(folder: GitFolder, args: readonly string[]): GitProcess {
  const child = spawn("sh", ["-c", LIMITED, String(MAX_MEMORY), ...args], {
    cwd: folder.path,
    env: environment(folder),
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const kill = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has ended already.
    }
  };
  if (folder.signal.aborted) kill();
  folder.signal.addEventListener("abort", kill, { once: true });
  child.once("close", () => folder.signal.removeEventListener("abort", kill));
  child.stdin.on("error", () => {});
  // Reported by `endOf`.
  child.on("error", () => {});
  child.stderr.resume();
  return child;
}

/** Its status and what it wrote to standard error. `error` when there is no git program. */
export function endOf(child: GitProcess): Promise<{ status: number | null; text: string; error: Error | null }> {
  const { promise, resolve } = Promise.withResolvers<{ status: number | null; text: string; error: Error | null }>();
  let text = "";
  child.stderr.on("data", (part: Buffer) => {
    if (text.length < MAX_ERROR_TEXT) text += part.toString("latin1");
  });
  child.once("error", (error) => resolve({ status: null, text, error }));
  child.once("close", (status) =>
    resolve({ status, text, error: status === NOT_FOUND ? new Error("There is no git program.") : null }),
  );
  return promise;
}

/** Runs git and discards what it prints. */
export async function runGit(folder: GitFolder, args: readonly string[]) {
  const child = startGit(folder, args);
  child.stdin.end();
  child.stdout.resume();
  return endOf(child);
}
