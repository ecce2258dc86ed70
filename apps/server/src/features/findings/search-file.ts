// Searches files for the secrets of findings in a worker thread, with a deadline.
import { Piscina } from "piscina";
import type { FileToSearch, FoundSecret } from "./secret-worker.ts";

/** As for scans: no file takes this long; one that does was made to. */
const DEADLINE_MS = 20_000;

export function openSearcher(signal: AbortSignal) {
  const pool = new Piscina<FileToSearch, FoundSecret[]>({
    filename: new URL("./secret-worker.ts", import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  pool.on("error", () => {});
  return {
    /** Empty when the file could not be searched in time. */
    async search(file: FileToSearch): Promise<FoundSecret[]> {
      try {
        return await pool.run(file, { signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]) });
      } catch {
        // INVARIANT: the error is dropped, because its text could contain a part of the file.
        return [];
      }
    },
    close: () => pool.destroy(),
  };
}
