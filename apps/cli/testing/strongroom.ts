// Runs the real command in its own process, as `npx strongroom` does.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const main = join(import.meta.dirname, "../src/main.ts");

export interface RunResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** The command's standard input; default: empty. */
  input?: string;
  /** Default: the folder of the tests. */
  cwd?: string;
}

/** Inherits nothing from the tests' environment except PATH. */
export async function strongroom(words: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = spawn(process.execPath, [main, ...words], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  child.stdin.on("error", () => undefined); // The command may exit without reading all of its input.
  child.stdin.end(options.input ?? "");
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status));
  });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, stdout, stderr };
}
