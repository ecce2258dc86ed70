// Closes the recordings of gateways that stopped without closing them, after a check of their files.
import { recordingSeal } from "@strongroom/keys";
import { verifyRecording } from "@strongroom/recordings";
import { inspectRecording } from "@strongroom/recordings/file-store";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { storageOf } from "./recording-storage.ts";
import { findAbandonedRecordings, readChunkDigests } from "./recordings.store.ts";
import type { AbandonedRecording } from "./recordings.store.ts";
import { closeRecording, recordingKeyOf } from "./store-recording.ts";
import type { RecordingEnd } from "./store-recording.ts";

/** The findings that a crash explains. Any other finding means that the file was changed. */
const EXPECTED = new Set(["torn", "unclosed", "unstored"]);

/** A recording without a closing record becomes `broken`. Its last digest enters the audit trail either way. */
export async function closeAbandonedRecordings(kernel: ProcessKernel, limit: number): Promise<void> {
  for (const row of await findAbandonedRecordings(kernel.database.db, limit)) {
    const end = await endOfFile(kernel, row);
    // The object store may be back soon.
    if (end === null && row.storage === "s3" && !row.is_given_up) continue;
    await closeRecording(kernel, { id: row.id, sessionId: row.session_id }, end ?? knownEnd(row));
  }
}

/** The chunks in the database. Those of the gateway's last second may be missing. */
function knownEnd({ number, digest }: AbandonedRecording): RecordingEnd {
  return { isClosed: false, unstoredBytes: 0, digest, chunks: (number ?? -1) + 1 };
}

/**
 * The content of the file. Null when this server cannot read it, because it is on another machine or the vault is sealed.
 * INVARIANT: a digest of the file enters the audit trail only when the key opens every chunk and all known digests match.
 */
async function endOfFile(kernel: ProcessKernel, row: AbandonedRecording): Promise<RecordingEnd | null> {
  if (kernel.keys.isSealed) return null;
  const storage = await storageOf(kernel.config, row.storage);
  if (storage === null) return null;
  try {
    const seal = recordingSeal(await recordingKeyOf(kernel, row.safe_id));
    const known = await readChunkDigests(kernel.database.db, row.id);
    const digests = known.map(({ number, digest }) => ({ recording: row.id, chunk: number, digest }));
    const report = await verifyRecording(storage.read(row.id), { digests, seal });
    const { digest, chunks } = await inspectRecording(storage.read(row.id));
    const findings = [...new Set(report.findings.map(({ kind }) => kind))];
    const isGenuine = report.recording === row.id && findings.every((kind) => EXPECTED.has(kind));
    if (!isGenuine) {
      kernel.log.error({ recording: row.id, findings }, "a recording was changed after its gateway stopped");
      return { ...knownEnd(row), findings: report.recording === row.id ? findings : ["foreign"] };
    }
    const unstoredBytes = report.closing?.unstoredBytes ?? 0;
    return { isClosed: report.closing !== null, unstoredBytes, digest, chunks, durationMs: report.duration };
  } catch (error) {
    kernel.log.warn({ err: error, recording: row.id }, "the file of a recording could not be checked");
    return null;
  }
}
