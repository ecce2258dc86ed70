// Scans files in worker threads, each with a deadline: a file that takes too long ends its worker, not the scan.
import { Worker } from "node:worker_threads";
import type { DetectorClass, FindingFacts } from "./finding.ts";
import type { KnownForm } from "./known-secrets.ts";

/** Everything here is copied to each worker once. */
export interface PoolOptions {
  /** Number of workers; default 1. */
  workers?: number;
  /** Milliseconds per file; default 30,000. */
  deadline?: number;
  /** Key of the fingerprints (HMAC-SHA-256). Without it, findings have none. */
  fingerprintKey?: Uint8Array;
  knownSecrets?: { key: Uint8Array; forms: readonly (KnownForm & { id: string })[] };
  knownPublicKeys?: ReadonlyMap<string, readonly string[]>;
  classes?: readonly DetectorClass[];
  minConfidence?: number;
  now?: Date;
}

export type PoolResult =
  | { outcome: "scanned"; isBinary: boolean; findings: FindingFacts[] }
  /** The deadline passed, or the worker ended. */
  | { outcome: "timed-out" | "failed" };

interface Task {
  content: Uint8Array;
  path: string;
  resolve: (result: PoolResult) => void;
}

interface Slot {
  worker: Worker;
  task: Task | null;
  timer: NodeJS.Timeout | undefined;
}

const DEADLINE = 30_000;

export class ScanPool {
  readonly #options: PoolOptions;
  readonly #slots: (Slot | null)[];
  readonly #waiting: Task[] = [];
  #isClosed = false;

  constructor(options: PoolOptions = {}) {
    this.#options = options;
    this.#slots = Array.from({ length: Math.max(1, options.workers ?? 1) }, () => null);
  }

  /** Findings without their values. `content` may be transferred to the worker: do not use it afterwards. */
  async scan(content: Uint8Array, path: string): Promise<PoolResult> {
    if (this.#isClosed) throw new Error("The pool of scanners is closed.");
    return await new Promise((resolve) => {
      this.#waiting.push({ content, path, resolve });
      this.#next();
    });
  }

  /** Ends the workers. Files that still wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#waiting.splice(0)) task.resolve({ outcome: "failed" });
    await Promise.all(this.#slots.map(async (slot) => await slot?.worker.terminate()));
  }

  #next(): void {
    for (let index = 0; index < this.#slots.length && this.#waiting.length > 0; index += 1) {
      const slot = (this.#slots[index] ??= this.#start(index));
      if (slot.task !== null) continue;
      const task = this.#waiting.shift()!;
      slot.task = task;
      slot.timer = setTimeout(() => this.#end(index, "timed-out"), this.#options.deadline ?? DEADLINE);
      const { buffer, byteOffset, byteLength } = task.content;
      const isWhole = byteOffset === 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer;
      slot.worker.postMessage({ content: task.content, path: task.path }, isWhole ? [buffer] : []);
    }
  }

  #start(index: number): Slot {
    const { fingerprintKey, knownSecrets, knownPublicKeys, classes, minConfidence, now } = this.#options;
    const worker = new Worker(new URL("scan-worker.ts", import.meta.url), {
      workerData: { fingerprintKey, knownSecrets, knownPublicKeys, classes, minConfidence, now },
    });
    const slot: Slot = { worker, task: null, timer: undefined };
    worker.unref();
    worker.on("message", (result: PoolResult) => {
      clearTimeout(slot.timer);
      const { task } = slot;
      slot.task = null;
      task?.resolve(result);
      this.#next();
    });
    worker.on("error", () => this.#end(index, "failed"));
    worker.on("exit", () => {
      if (this.#slots[index] === slot) this.#end(index, "failed");
    });
    return slot;
  }

  #end(index: number, outcome: "timed-out" | "failed"): void {
    const slot = this.#slots[index];
    if (slot === null || slot === undefined) return;
    this.#slots[index] = null;
    clearTimeout(slot.timer);
    void slot.worker.terminate();
    slot.task?.resolve({ outcome });
    if (!this.#isClosed) this.#next();
  }
}
