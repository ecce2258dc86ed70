// Reads the files of a host, of buckets or of repositories, and scans them while more arrive.
import type { Connector, FileReader, ReadFilesResult, Target, VerifyContext } from "@strongroom/connectors";
import { filePathOf } from "@strongroom/contract";
import type { Secret } from "@strongroom/keys";
import type { TargetRow } from "#features/discovery/index.ts";
import type { FileScanner } from "./file-scanner.ts";
import { joinVersions } from "./file-versions.ts";
import type { Recorder } from "./record-files.ts";
import { recordProcesses } from "./record-processes.ts";
import type { ScansContext } from "./scans.ts";
import { HOST_FILES, searchOf } from "./scans.policy.ts";
import type { EnhancedScanRow } from "./scans.store.ts";

interface FileScan {
  scan: EnhancedScanRow;
  target: TargetRow;
  to: Target;
  secret: Secret;
  read: NonNullable<Connector["readFiles"]>;
  /** How the places of the files begin. */
  begin: string;
  scanner: FileScanner;
  recorder: Recorder;
  limits: VerifyContext;
}

export async function readFilesOf(
  context: ScansContext,
  { scan, target, to, secret, read, begin, scanner, recorder, limits }: FileScan,
): Promise<ReadFilesResult> {
  const known = await context.findings.placesOf(context.kernel.database.db, target.id, begin);
  const search = searchOf(scan.config, { begin, known });
  const versions = joinVersions(recorder, search);
  const reader: FileReader = {
    choose: (files) => recorder.choose(files),
    read: async ({ content, isOfPackage, version, ...file }) => {
      // Equal to the package's own file: whatever it contains is public.
      if (isOfPackage) recorder.take({ ...file, found: [] });
      else {
        const take = version === undefined ? null : versions.begin({ ...file, version });
        await scanner.scan(filePathOf(file.path), content, (found) =>
          take === null ? recorder.take({ ...file, found }) : take(found),
        );
      }
      await recorder.flushIfDue();
    },
    ...(scan.config.scanProcesses && begin === HOST_FILES
      ? {
          readProcesses: (processes, isComplete) =>
            recordProcesses(context, { scan, target }, scanner, { processes, isComplete }),
        }
      : {}),
  };
  return read(to, secret, search, reader, limits);
}
