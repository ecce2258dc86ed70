// Plays and exports recordings for those who may see them.
import type { exportSessionRecording, readSessionRecording } from "@strongroom/contract";
import { recordingSeal } from "@strongroom/keys";
import { CastWriter, castHeaderLine, readRecording, recordingHeader } from "@strongroom/recordings";
import type { CastEvent } from "@strongroom/recordings";
import { readRecordingFile, recordingPath } from "@strongroom/recordings/file-store";
import { access } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { recordingsFolder } from "../gateway/gateway-places.ts";
import { actionsFor, requireShown } from "../monitoring/find-sessions.ts";
import { detailsOf, notFound, targetOf } from "../session-context.ts";
import { notAllowed } from "../start-session.ts";
import { textsOf } from "../text/search-recordings.ts";
import { recordingPurpose } from "./store-recording.ts";

type Reading = Call<typeof readSessionRecording> | Call<typeof exportSessionRecording>;

/** INVARIANT: a recording opens only with the key of the safe that its session belongs to. */
export async function play(kernel: Kernel, call: Call<typeof readSessionRecording>, db: Db) {
  const { path, id, safeId } = await requireRecording(kernel, call, db, "play");
  const marks = await marksOf(kernel, db, { recording_id: id, safe_id: safeId });
  const header = await recordingHeader(readRecordingFile(path));
  if (header === null || header.recordingId !== id) throw unreadable();
  const kek = await kernel.keys.kekById(header.kekId);
  if (kek.purpose !== recordingPurpose(safeId)) throw unreadable();
  const seal = recordingSeal(kek);
  async function* lines() {
    const writer = new CastWriter();
    let isBegun = false;
    let next = 0;
    for await (const chunk of readRecording(readRecordingFile(path), seal)) {
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
  const { path, id } = await requireRecording(kernel, call, db, "export");
  return { body: Readable.from(readRecordingFile(path), { objectMode: false }), fileName: `${id}.srr` };
}

async function requireRecording(kernel: Kernel, call: Reading, db: Db, action: "play" | "export") {
  call.note({ target: { type: "privileged-session", id: call.params.id } });
  const row = await requireShown(db, call.actor, call.params.id);
  call.note({ target: targetOf(row), details: { ...detailsOf(row), recording: row.recording_id } });
  if (row.recording_id === null) throw notFound();
  if (row.recording_deleted_at !== null) throw deleted(row.recording_deleted_at);
  if (!actionsFor(row, call.actor).includes(action)) throw notAllowed();
  // From the id, not from the row's path: the database must not name a file elsewhere.
  const path = recordingPath(recordingsFolder(kernel.config), row.recording_id);
  await access(path).catch((error: unknown) => {
    kernel.log.warn({ err: error, recording: row.recording_id }, "a recording cannot be read");
    throw refuse(
      409,
      "recording.not-here",
      "This server cannot read the recording. Open it on the server whose data folder has it.",
    );
  });
  return { path, id: row.recording_id, safeId: row.safe_id };
}

const deleted = (at: Date) =>
  refuse(410, "recording.deleted", `Deleted on ${at.toISOString().slice(0, 10)} by the retention of the platform.`);

const unreadable = () =>
  refuse(409, "recording.unreadable", "The file is not this session's recording. Tell an administrator.");
