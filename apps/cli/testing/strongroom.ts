// Runs the real command as a process of its own, as `npx strongroom` does.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const main = join(import.meta.dirname, "../src/main.ts");

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** What stands on its standard input; nothing unless given. */
  input?: string;
}

/** Nothing of the environment of the tests reaches it but the way to its programs. */
export async function strongroom(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...words], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined); // It may end without having read everything.
  child.stdin.end(options.input ?? "");
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status));
  });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, stdout, stderr };
}
