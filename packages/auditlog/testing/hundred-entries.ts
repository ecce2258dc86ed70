// The log that the verifier's tests tamper with, and the verifier's findings for its lines.
import { encodeEntry, verifyExport } from "../src/index.ts";
import type { VerifyReport } from "../src/index.ts";
import { aLog } from "./sample-log.ts";

/** 100 entries, checkpoints after 1, 40, 64 and 100 of them, signed at 09:00 to 09:03. */
export const log = aLog([1, 40, 64, 100]);

/** The line number of the entry with this index. */
export const lineOf = (lines: readonly string[], index: number): number =>
  lines.findIndex((line) => line.includes(`"index":${index},`));

export const checkpointAt = (size: number): string =>
  log.checkpoints.find((checkpoint) => checkpoint.size === size)!.note;

/** `entry 41` rewritten: Ada becomes Eve. */
export const changed = encodeEntry({ ...log.entries[41]!.entry, actor: { system: "Eve" } });

export function check(lines: readonly string[], kept: readonly string[] = []): Promise<VerifyReport> {
  return verifyExport(lines, log.key, kept);
}

/** Each finding as `kind index: message`. */
export function findings(report: VerifyReport): string[] {
  return report.findings.map(({ kind, index, message }) => `${kind} ${index ?? "-"}: ${message}`);
}
