// Starting `writer.ts` as a process that a test can read from and kill.
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
  /** Rows found at the start, and the highest id. Ids have no holes when nothing was lost. */
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
  /** Ends it as an operator would, and waits. */
  stop(): Promise<void>;
  /** SIGKILL, and waits until it has gone; nothing for one that has. */
  kill(): Promise<void>;
}

const WRITER = join(import.meta.dirname, "writer.ts");

export function startChild(dataFolder: string, mode: "hold" | "linger" | "write", options: SpawnOptions = {}): Child {
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
  // Whoever awaits it still sees the failure; those who only kill the child do not have to.
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

/** A folder that other users may enter, and its removal. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "strongroom-test-")));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Looks until it is so; for what other processes do. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, patience = 40_000): Promise<void> {
  for (const end = Date.now() + patience; !(await isSo()); await delay(10)) {
    if (Date.now() > end) throw new Error(`not within ${patience} ms: ${what}`);
  }
}
