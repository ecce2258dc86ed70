// Scans files in worker threads, with a limit of the memory that waiting files take and a deadline for each file.
import type { KnownForm } from "@strongroom/detectors";
import { Piscina } from "piscina";
import { availableParallelism } from "node:os";
import type { DetectedFacts, WorkerSettings } from "./scan-worker.ts";

/** The connection to the host is paused while files of this many bytes wait. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** No ordinary file takes this long; one that does was crafted. */
const DEADLINE_MS = 20_000;

export interface FileScanner {
  /**
   * Calls `done` with the findings of the file, or with null when it could not be scanned. Resolves as soon as another
   * file may be read.
   */
  scan(path: string, content: Uint8Array, done: (found: DetectedFacts[] | null) => void): Promise<void>;
  /** Waits for all files. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

export interface ScannerKeys extends Omit<WorkerSettings, "knownForms"> {
  knownForms: (KnownForm & { id: string })[];
}

export function openScanner(settings: ScannerKeys, signal: AbortSignal): FileScanner {
  const pool = new Piscina<{ path: string; content: Uint8Array }, DetectedFacts[]>({
    filename: new URL("./scan-worker.ts", import.meta.url).href,
    workerData: settings,
    minThreads: 1,
    maxThreads: Math.max(1, Math.min(4, availableParallelism() - 1)),
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  // When a worker crashes, its file counts as unreadable; see `scanOne`.
  pool.on("error", () => {});
  const waiting = new Set<Promise<void>>();
  let bytes = 0;

  async function scanOne(path: string, content: Uint8Array): Promise<DetectedFacts[] | null> {
    try {
      return await pool.run(
        { path, content },
        {
          signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
          transferList: [content.buffer as ArrayBuffer],
        },
      );
    } catch {
      // INVARIANT: the error is dropped, because its text could contain a part of the file.
      return null;
    }
  }

  async function report(
    scanning: Promise<DetectedFacts[] | null>,
    size: number,
    done: (found: DetectedFacts[] | null) => void,
  ) {
    const found = await scanning;
    bytes -= size;
    done(found);
  }

  /** Waits until another file can be queued. */
  async function room(): Promise<void> {
    if (bytes <= MOST_WAITING_BYTES || waiting.size === 0) return;
    await Promise.race(waiting);
    await room();
  }

  return {
    async scan(path, received, done) {
      // A copy that owns its memory, which moves to the worker.
      const content = new Uint8Array(received);
      const size = content.length;
      bytes += size;
      const settled = report(scanOne(path, content), size, done).finally(() => waiting.delete(settled));
      waiting.add(settled);
      await room();
    },
    finish: async () => void (await Promise.all(waiting)),
    close: () => pool.destroy(),
  };
}
