// Records the progress of a recording: its chunks' digests enter the audit trail with the rows that name them.
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Kek } from "@strongroom/keys";
import { digestDetails } from "@strongroom/recordings";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { insertChunks, insertRecording, markClosed } from "./recordings.store.ts";
import type { NewRecording, StoredChunk } from "./recordings.store.ts";

type Kernel = Pick<ProcessKernel, "database" | "clock">;

/** The key of a safe's recordings. Not the safe's own key, which is destroyed with the safe. */
export const recordingPurpose = (safeId: string): string => `recordings:${safeId}`;

export const recordingKeyOf = ({ keys }: Pick<ProcessKernel, "keys">, safeId: string): Promise<Kek> =>
  keys.kekFor(recordingPurpose(safeId));

/** Call it before the first byte is shown to the user. */
export async function openRecording({ database }: Kernel, recording: NewRecording): Promise<void> {
  await database.transaction((tx) => insertRecording(tx, recording));
}

const aboutSession = (id: string) => ({ type: "privileged-session", id });

/** Stores the digests of durable chunks, in order and without gaps. About once a second for each session. */
export async function recordChunks(
  kernel: Kernel,
  { id, sessionId }: Pick<NewRecording, "id" | "sessionId">,
  chunks: readonly StoredChunk[],
): Promise<void> {
  if (chunks.length > 0) await recordChunksOf(kernel, [{ id, sessionId, chunks }]);
}

export interface RecordedChunks extends Pick<NewRecording, "id" | "sessionId"> {
  /** In order; at least one. */
  chunks: readonly StoredChunk[];
}

/** The chunks of several recordings, each at most once, in one transaction. */
export async function recordChunksOf({ database, clock }: Kernel, groups: readonly RecordedChunks[]): Promise<void> {
  const entries = groups.map(({ id, sessionId, chunks }) => {
    // The last digest proves the chunks before it too.
    const { number: chunk, digest } = chunks.at(-1)!;
    const details = digestDetails({ recording: id, chunk, digest });
    const note = { target: aboutSession(sessionId), result: "info" as const, details };
    return systemEntry("recording.chunks-stored", "sessions", note, clock.now());
  });
  await database.transaction(async (tx) => {
    await insertChunks(
      tx,
      groups.map(({ id, chunks }) => ({ recordingId: id, chunks })),
    );
    await appendAudit(tx, entries);
  });
}

export interface RecordingEnd {
  /** Whether the closing record was stored. */
  isClosed: boolean;
  /** Output that was accepted and could not be stored. */
  unstoredBytes: number;
  /** The last digest; null without a chunk. */
  digest: Buffer | null;
  chunks: number;
  durationMs?: number;
  /** The finding of a check of the file, such as `altered`. */
  findings?: readonly string[];
}

export async function closeRecording(
  { database, clock }: Kernel,
  { id, sessionId }: Pick<NewRecording, "id" | "sessionId">,
  end: RecordingEnd,
): Promise<void> {
  const isWhole = end.isClosed && end.unstoredBytes === 0;
  const note = {
    target: aboutSession(sessionId),
    result: isWhole ? ("success" as const) : ("warning" as const),
    details: {
      ...(end.digest === null
        ? { recording: id }
        : digestDetails({ recording: id, chunk: end.chunks - 1, digest: end.digest })),
      unstored_bytes: end.unstoredBytes,
      is_closed: end.isClosed,
      ...(end.findings === undefined ? {} : { findings: end.findings.join(", ") }),
    },
  };
  await database.transaction(async (tx) => {
    if (!(await markClosed(tx, id, { durationMs: 0, ...end }))) return;
    await appendAudit(tx, [systemEntry("recording.closed", "sessions", note, clock.now())]);
  });
}
