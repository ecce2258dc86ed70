// Writes the progress of a running scan, and notifies the users who see its target.
import type { ScanPhase } from "@strongroom/contract";
import { changed } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import type { TargetRow } from "../targets/targets.store.ts";
import { saveProgress } from "./scans.store.ts";

interface Progress {
  phase: ScanPhase;
  accounts: number | null;
}

export interface ProgressReporter {
  /** May be called for every account: it writes at most once a second. */
  report(progress: Progress): void;
  /** Forgets a report that was not written yet. */
  stop(): void;
  /** Writes immediately, after a write that is still running. */
  enter(progress: Progress): Promise<void>;
}

const INTERVAL_MS = 1000;

/** A failed write does not end the scan: the next write repeats it. */
export function progressOf({ kernel }: DiscoveryContext, target: TargetRow, scanId: string): ProgressReporter {
  let writing: Promise<void> = Promise.resolve();
  let writtenAt = -Infinity;
  let later: NodeJS.Timeout | null = null;
  let latest: Progress | null = null;
  const write = (progress: Progress): Promise<void> => {
    writtenAt = performance.now();
    clearTimeout(later ?? undefined);
    later = null;
    const save = () =>
      kernel.database.transaction(async (tx) => {
        if (await saveProgress(tx, scanId, progress)) await kernel.events.publish(tx, await changed(tx, target));
      });
    const failed = (error: unknown) =>
      kernel.log.warn({ err: error, scan: scanId }, "could not write a scan's progress");
    writing = writing.then(save).catch(failed);
    return writing;
  };
  return {
    report(progress) {
      latest = progress;
      const wait = writtenAt + INTERVAL_MS - performance.now();
      if (wait <= 0) void write(progress);
      else later ??= setTimeout(() => void write(latest ?? progress), wait);
    },
    stop: () => clearTimeout(later ?? undefined),
    enter: write,
  };
}
