// Stores the results of an enhanced scan while it runs.
import type { FoundFile } from "@strongroom/connectors";
import type { FindingType } from "@strongroom/contract";
import { changed } from "#features/discovery/index.ts";
import type { TargetRow } from "#features/discovery/index.ts";
import type { ScannedFile } from "#features/findings/index.ts";
import type { ScansContext } from "./scans.ts";
import { engineOf, typesOf } from "./scans.policy.ts";
import * as store from "./scans.store.ts";
import type { EnhancedScanRow } from "./scans.store.ts";

/** Results are stored in batches, so that a killed scan continues where it stopped. */
const PORTION_FILES = 100;
const PORTION_MS = 1_000;

type TakenFile = FoundFile & { found: ScannedFile["found"] | null; isPart?: boolean };
export type Recorder = ReturnType<typeof createRecorder>;

/** The findings of one file, or of the columns of one table, and the progress of the scan. */
interface Read {
  files: readonly ScannedFile[];
  /** The number of files or tables. */
  count: number;
  bytes: number;
}

/**
 * Stores results in batches. Every batch is one transaction: the findings of its files and their manifest. `onNew` runs
 * after each batch with new findings.
 */
export function createRecorder(
  context: ScansContext,
  scan: EnhancedScanRow,
  target: TargetRow,
  onNew: (() => Promise<unknown>) | null,
) {
  const { kernel, findings } = context;
  const { database } = kernel;
  const engine = engineOf(scan.config);
  const types: readonly FindingType[] = typesOf(scan.config);
  const unscanned: string[] = [];
  let portion: Read[] = [];
  let isCounted = false;
  let storedAt = performance.now();
  let storing: Promise<void> = Promise.resolve();

  async function storePortion(part: readonly Read[]): Promise<void> {
    const files = part.flatMap((each) => each.files);
    const sum = (of: "count" | "bytes") => part.reduce((total, each) => total + each[of], 0);
    const hasNew = await database.transaction(async (tx) => {
      const now = await store.lockScan(tx, scan.id);
      if (now === null || now.status !== "running") throw new Error("the scan has ended");
      const recorded = await findings.record(tx, { target, scan, types, files });
      // Places of databases have no stamp, because they are read every time.
      const stamped = files.filter(({ stamp }) => stamp !== "");
      await store.saveManifest(tx, target.id, engine, stamped);
      await store.addProgress(tx, scan.id, { files: sum("count"), bytes: sum("bytes") });
      await store.updateScan(tx, scan.id, {
        findings_discovered: now.findings_discovered + recorded.seen,
        secrets_found: now.secrets_found + recorded.seen,
        new_findings: now.new_findings + recorded.added,
        fixed_findings: now.fixed_findings + recorded.fixed,
      });
      await kernel.events.publish(tx, await changed(tx, target));
      return recorded.hasNew;
    });
    if (hasNew) await onNew?.();
  }

  function flush(): Promise<void> {
    const read = portion;
    portion = [];
    storedAt = performance.now();
    for (let first = 0; first < read.length; first += PORTION_FILES) {
      storing = storing.then(() => storePortion(read.slice(first, first + PORTION_FILES)));
    }
    return storing;
  }

  return {
    /** Leaves out files that did not change since a scan with the same settings read them. */
    async choose(files: readonly FoundFile[]): Promise<FoundFile[]> {
      const manifest = await store.readManifest(database.db, target.id, engine);
      const isUnchanged = ({ path, stamp }: FoundFile) => !scan.config.readAgain && manifest.get(path) === stamp;
      const unchanged = files.filter(isUnchanged);
      const chosen = files.filter((file) => !isUnchanged(file));
      await database.transaction(async (tx) => {
        await store.updateScan(tx, scan.id, {
          files_found: files.length,
          files_chosen: chosen.length,
          files_read: 0,
          files_unchanged: unchanged.length,
        });
        await findings.seeAgain(
          tx,
          { target, scan, types },
          unchanged.map(({ path }) => path),
        );
        await kernel.events.publish(tx, await changed(tx, target));
      });
      return chosen;
    },
    /** Adds tables to those that the scan reads. */
    async foundMore(tables: number): Promise<void> {
      const isFirst = !isCounted;
      isCounted = true;
      await database.transaction(async (tx) => {
        await store.addFound(tx, scan.id, { tables, isFirst });
        await kernel.events.publish(tx, await changed(tx, target));
      });
    },
    take({ found, ...file }: TakenFile): void {
      if (found === null) unscanned.push(file.path);
      else portion.push({ files: [{ ...file, found }], count: 1, bytes: file.size });
    },
    add: (read: Read) => void portion.push(read),
    addUnscanned: (path: string) => void unscanned.push(path),
    flush,
    async flushIfDue(): Promise<void> {
      const isFull = portion.length >= PORTION_FILES;
      if (isFull || performance.now() - storedAt > PORTION_MS) await flush();
    },
    async forget(paths: readonly string[]): Promise<void> {
      if (paths.length === 0) return;
      await database.transaction(async (tx) => {
        await store.forgetFiles(tx, target.id, paths);
        await findings.markGone(tx, { target, scan }, paths);
      });
    },
    unscanned: () => unscanned,
  };
}
