// Deletes recordings past the retention of their platform. The session and a proof of the deletion stay.
import { digestDetails } from "@strongroom/recordings";
import type { RecordingStorage } from "@strongroom/recordings/storage";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { storageOf } from "../recordings/recording-storage.ts";
import { detailsOf, targetOf } from "../session-context.ts";
import { beginDeletion, findDeletable, finishDeletion, readBegunDeletion } from "./retention.store.ts";
import type { BegunDeletion } from "./retention.store.ts";

/** A deletion that was interrupted continues here. A file that cannot be deleted does not stop the others. */
export async function deleteExpiredRecordings(kernel: ProcessKernel, signal?: AbortSignal): Promise<void> {
  for (const { id, storage: kind, is_deleted: isDeleted } of await findDeletable(kernel.database.db)) {
    if (signal?.aborted === true) return;
    try {
      const storage = await storageOf(kernel.config, kind);
      if (storage === null)
        kernel.log.warn({ recording: id }, "this server has no bucket, so it cannot delete a recording");
      else await (isDeleted ? storage.delete(id) : deleteRecording(kernel, storage, id));
    } catch (error) {
      kernel.log.error({ err: error, recording: id }, "a recording could not be deleted; the next run tries again");
    }
  }
}

/**
 * The file is emptied after the database says that the deletion has begun, and removed after the proof is stored. So the next run
 * after a crash knows the progress of the deletion, even when each server has its own data folder.
 */
async function deleteRecording(kernel: ProcessKernel, storage: RecordingStorage, id: string): Promise<void> {
  await kernel.database.transaction((tx) => beginDeletion(tx, id));
  const begun = await readBegunDeletion(kernel.database.db, id);
  if (begun === null) return;
  const isFileHere = await storage.empty(id);
  if (!isFileHere && !begun.is_given_up) {
    kernel.log.warn({ recording: id }, "the file of a recording to delete is not in this server's storage");
    return;
  }
  await kernel.database.transaction(async (tx) => {
    if (!(await finishDeletion(tx, id))) return;
    await appendAudit(tx, [proofOf(kernel, id, begun, isFileHere)]);
  });
  await storage.delete(id);
}

function proofOf({ clock }: ProcessKernel, id: string, begun: BegunDeletion, isFileHere: boolean) {
  const { last_chunk: chunk, last_digest: digest } = begun;
  const details = {
    ...detailsOf(begun),
    ...(chunk === null || digest === null ? { recording: id } : digestDetails({ recording: id, chunk, digest })),
    rule: `The platform "${begun.platform_name}" keeps recordings for ${begun.days} days`,
    file: isFileHere ? "deleted" : "not found",
  };
  const result = isFileHere ? ("success" as const) : ("warning" as const);
  return systemEntry("recording.deleted", "sessions", { target: targetOf(begun), result, details }, clock.now());
}
