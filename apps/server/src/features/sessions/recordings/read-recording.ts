// Plays and exports recordings for those who may see them.
import type { exportSessionRecording, readSessionRecording } from "@strongroom/contract";
import { recordingSeal } from "@strongroom/keys";
import { CastWriter, castHeaderLine, readRecording, recordingHeader } from "@strongroom/recordings";
import type { CastEvent } from "@strongroom/recordings";
import { Readable } from "node:stream";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { actionsFor, requireShown } from "../monitoring/find-sessions.ts";
import { detailsOf, notFound, targetOf } from "../session-context.ts";
import { notAllowed } from "../start-session.ts";
import { textsOf } from "../text/search-recordings.ts";
import { storageOf } from "./recording-storage.ts";
import { recordingPurpose } from "./store-recording.ts";

type Reading = Call<typeof readSessionRecording> | Call<typeof exportSessionRecording>;

/** INVARIANT: a recording opens only with the key of the safe that its session belongs to. */
export async function play(kernel: Kernel, call: Call<typeof readSessionRecording>, db: Db) {
  const { storage, id, safeId } = await requireRecording(kernel, call, db, "play");
  const marks = await marksOf(kernel, db, { recording_id: id, safe_id: safeId });
  const header = await recordingHeader(storage.read(id));
  if (header === null || header.recordingId !== id) throw unreadable();
  const kek = await kernel.keys.kekById(header.kekId);
  if (kek.purpose !== recordingPurpose(safeId)) throw unreadable();
  const seal = recordingSeal(kek);
  async function* lines() {
    const writer = new CastWriter();
    let isBegun = false;
    let next = 0;
    for await (const chunk of readRecording(storage.read(id), seal)) {
      if (!isBegun) yield castHeaderLine(chunk.header);
      isBegun = true;
      for (const event of chunk.events ?? []) {
        for (; next < marks.length && marks[next]!.at <= event.at; next += 1) yield writer.line(marks[next]!);
        yield writer.line(event);
      }
    }
  }
  return { body: Readable.from(lines(), { objectMode: false }), fileName: `${id}.cast` };
}

/** The commands, errors and changes of privilege that the index found, as markers of the asciicast. */
async function marksOf(kernel: Kernel, db: Db, row: Parameters<typeof textsOf>[2]): Promise<CastEvent[]> {
  const marks: CastEvent[] = [];
  for await (const [at, kind, text] of textsOf(kernel, db, row, "marks")) {
    marks.push({ at, code: "m", data: `${kind}: ${text}` });
  }
  return marks;
}

/** The sealed file as it is stored; its digests are in the audit trail. */
export async function exportSealed(kernel: Kernel, call: Call<typeof exportSessionRecording>, db: Db) {
  const { storage, id } = await requireRecording(kernel, call, db, "export");
  return { body: Readable.from(storage.read(id), { objectMode: false }), fileName: `${id}.srr` };
}

async function requireRecording(kernel: Kernel, call: Reading, db: Db, action: "play" | "export") {
  call.note({ target: { type: "privileged-session", id: call.params.id } });
  const row = await requireShown(db, call.actor, call.params.id);
  call.note({ target: targetOf(row), details: { ...detailsOf(row), recording: row.recording_id } });
  if (row.recording_id === null) throw notFound();
  if (row.recording_deleted_at !== null) throw deleted(row.recording_deleted_at);
  if (!actionsFor(row, call.actor).includes(action)) throw notAllowed();
  // By the id, not by the row's path: the database must not name a file elsewhere.
  const storage = await storageOf(kernel.config, row.recording_storage ?? "folder");
  if (storage === null || !(await storage.has(row.recording_id))) {
    kernel.log.warn({ recording: row.recording_id, storage: row.recording_storage }, "a recording cannot be read");
    throw refuse(409, "recording.not-here", row.recording_storage === "s3" ? NOT_IN_BUCKET : NOT_IN_FOLDER);
  }
  return { storage, id: row.recording_id, safeId: row.safe_id };
}

const NOT_IN_FOLDER = "This server cannot read the recording. Open it on the server whose data folder has it.";
const NOT_IN_BUCKET =
  "The object store does not answer, or does not have this recording. Try again later, or tell an administrator.";

const deleted = (at: Date) =>
  refuse(410, "recording.deleted", `Deleted on ${at.toISOString().slice(0, 10)} by the retention of the platform.`);

const unreadable = () =>
  refuse(409, "recording.unreadable", "The file is not this session's recording. Tell an administrator.");
