// `recording verify`: checks a session recording with digests from the audit trail. Needs no database, no server and no key.
import { parseDigestLine, verifyRecording } from "@strongroom/recordings";
import type { RecordingDigest, RecordingReport } from "@strongroom/recordings";
import { createReadStream } from "node:fs";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { count, note, print, printJson } from "../output.ts";
import { readLines, unreadable } from "../read-lines.ts";

/** Exits with 0 when the recording is complete and unchanged, 1 with findings, 2 when there was nothing to check. */
export const recordingVerify = command({
  options: {
    digests: { type: "string", multiple: true },
    json: { type: "boolean" },
  },
  operands: [1, 1],
  async run({ digests: files = [], json }, file = "") {
    const digests = await readDigests(files);
    const report = await verify(file, digests);
    if (report.recording === null && report.chunks === 0) {
      throw new CommandError(`${file} is not a recording.`, { status: 2 });
    }
    const hasDigests = digests.some(({ recording }) => recording === report.recording);
    if (files.length > 0 && report.recording !== null && !hasDigests) {
      throw new CommandError(`${files.join(", ")} contains no digest of recording ${report.recording}.`, { status: 2 });
    }
    if (json) printJson(report);
    else tell(report, hasDigests);
    return report.isComplete ? 0 : 1;
  },
});

async function readDigests(files: readonly string[]): Promise<RecordingDigest[]> {
  const digests: RecordingDigest[] = [];
  for (const file of files) {
    for await (const line of readLines(file)) {
      const digest = parseDigestLine(line);
      if (digest !== null) digests.push(digest);
    }
  }
  return digests;
}

async function verify(file: string, digests: readonly RecordingDigest[]): Promise<RecordingReport> {
  try {
    return await verifyRecording(createReadStream(file) as AsyncIterable<Uint8Array>, { digests });
  } catch (error) {
    throw unreadable(file, error);
  }
}

function tell(report: RecordingReport, hasDigests: boolean): void {
  const { isComplete, recording, startedAt, chunks, outputBytes, duration, closing, provenTo, findings, omitted } =
    report;
  const number = count(chunks, "chunk");
  if (isComplete) print(`Complete: ${number}, in order and unchanged.`);
  else print(`NOT COMPLETE: ${count(findings.length + omitted, "finding")} in ${number}.`);
  for (const { message } of findings) print(`- ${message}`);
  if (omitted > 0) print(`- and ${omitted} more`);
  if (recording !== null && startedAt !== null) {
    const seconds = Math.round(duration / 1000);
    print(
      `Recording ${recording}, started ${startedAt.toISOString()}, ${seconds} s, ${count(outputBytes, "byte")} of output.`,
    );
  }
  if (closing !== null) print(`Closing record: ${closing.reason}.`);
  if (!hasDigests) {
    note(
      "Without digests a rewritten recording looks the same: pass an audit export or evidence bundle with --digests.",
    );
    return;
  }
  print(provenTo === null ? "No chunk is proven by the digests." : `Proven by the digests up to chunk ${provenTo}.`);
  note("This compares with the file of digests. Check that file with `strongroom audit verify`.");
}
