// Scans the arguments and environments of running processes, and records their findings.
import type { ReadProcess } from "@strongroom/connectors";
import type { TargetRow } from "#features/discovery/index.ts";
import type { ScannedFile } from "#features/findings/index.ts";
import type { FileScanner } from "./file-scanner.ts";
import { textsOf } from "./processes.policy.ts";
import type { ScansContext } from "./scans.ts";
import { lockScan } from "./scans.store.ts";
import type { EnhancedScanRow } from "./scans.store.ts";

const TYPE = "credential_exposure";

/** Findings of processes that have ended are closed when the list is complete. */
export async function recordProcesses(
  { kernel, findings }: ScansContext,
  { scan, target }: { scan: EnhancedScanRow; target: TargetRow },
  scanner: FileScanner,
  { processes, isComplete }: { processes: readonly ReadProcess[]; isComplete: boolean },
): Promise<void> {
  const at = kernel.clock.now().toISOString();
  const files: ScannedFile[] = [];
  const unscanned = new Set<string>();
  for (const { place, file, user, mode, text } of textsOf(processes)) {
    const content = new TextEncoder().encode(text);
    const facts = { path: place, size: content.length, stamp: "", modifiedAt: at, mode, owner: user, group: "" };
    await scanner.scan(file, content, (found) => {
      if (found === null) unscanned.add(place);
      else files.push({ ...facts, found: found.map((each) => ({ ...each, type: TYPE })) });
    });
  }
  await scanner.finish();
  await kernel.database.transaction(async (tx) => {
    const now = await lockScan(tx, scan.id);
    if (now === null || now.status !== "running") throw new Error("the scan has ended");
    await findings.record(tx, { target, scan, types: [TYPE], files });
    if (!isComplete) return;
    const there = new Set(files.map(({ path }) => path));
    const known = await findings.placesOf(tx, target.id, "process:");
    const gone = known.filter((place) => !there.has(place) && !unscanned.has(place));
    await findings.markGone(tx, { target, scan }, gone);
  });
}
