// Starts `writer.ts` as a process that a test can read from and kill.
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams, SpawnOptions } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

export interface Ready {
  adopted: boolean;
  /** The number of rows found at the start, and the highest id. Ids are consecutive if nothing was lost. */
  count: number;
  last: number;
}

export interface Child {
  process: ChildProcessWithoutNullStreams;
  /** The last id whose commit was acknowledged. */
  acknowledged(): number;
  ready: Promise<Ready>;
  /** Settles when at least that id was acknowledged. */
  wrote(id: number): Promise<void>;
  /** Stops the process with SIGTERM and waits for its end. */
  stop(): Promise<void>;
  /** Sends SIGKILL and waits for the process to end; has no effect if it has ended already. */
  kill(): Promise<void>;
}

const WRITER = join(import.meta.dirname, "writer.ts");

export function startChild(dataFolder: string, mode: "hold" | "write", options: SpawnOptions = {}): Child {
  const child = spawn(process.execPath, [WRITER, dataFolder, mode], {
    cwd: import.meta.dirname,
    ...options,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const ready = Promise.withResolvers<Ready>();
  const written = { last: 0 };
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  createInterface(child.stdout).on("line", (line) => {
    const said = JSON.parse(line) as { id?: number; ready?: true; refused?: string } & Ready;
    if (said.refused !== undefined) ready.reject(new Error(said.refused));
    else if (said.ready === true) ready.resolve({ adopted: said.adopted, count: said.count, last: said.last });
    else written.last = said.id ?? written.last;
  });
  void exited.then(() => ready.reject(new Error(`the child ended: ${complaint}`)));
  // Awaiting the promise still shows the failure; tests that only kill the child ignore it.
  ready.promise.catch(() => undefined);
  return {
    process: child,
    acknowledged: () => written.last,
    ready: ready.promise,
    async wrote(id) {
      await ready.promise;
      while (written.last < id) await once(child.stdout, "data", { signal: AbortSignal.timeout(60_000) });
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** A folder that other users may enter, together with its cleanup. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "strongroom-test-")));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Polls until the condition holds, for effects of other processes. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, patience = 40_000): Promise<void> {
  for (const end = Date.now() + patience; !(await isSo()); await delay(10)) {
    if (Date.now() > end) throw new Error(`not within ${patience} ms: ${what}`);
  }
}
