// The sealed text of recordings in the database.
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { StorageKind } from "../recordings/recordings.store.ts";

export type TextKind = "lines" | "marks";

interface RecordingTextTable {
  recording_id: string;
  kind: TextKind;
  part: number;
  kek_id: string;
  sealed: Buffer;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    recording_text: RecordingTextTable;
  }
}

export type SealedText = RecordingTextTable;

export interface UnindexedRecording {
  id: string;
  safe_id: string;
  storage: StorageKind;
}

/** Ended recordings without text, oldest first. Those of other servers' folders are given up after a week. */
export async function findUnindexed(db: Db, limit: number): Promise<UnindexedRecording[]> {
  const { rows } = await sql<UnindexedRecording>`
    select recordings.id, recordings.storage, sessions.safe_id from recordings join sessions on sessions.id = recordings.session_id
    where recordings.text_status = 'waiting' and recordings.status <> 'open' and recordings.deletion_began_at is null
      and recordings.closed_at > access_time() - interval '7 days'
    order by recordings.closed_at limit ${limit}`.execute(db);
  return rows;
}

/** Stores the text of a recording, unless a different process has stored it already or the recording is being deleted. */
export async function storeText(
  tx: Tx,
  recordingId: string,
  status: "indexed" | "partial",
  parts: readonly SealedText[],
): Promise<void> {
  const { rows } = await sql`
    update recordings set text_status = ${status} where id = ${recordingId} and text_status = 'waiting'
      and deletion_began_at is null returning id`.execute(tx);
  if (rows.length === 0) return;
  for (const part of parts) await tx.insertInto("recording_text").values(part).execute();
}

export async function readSealedText(db: Db, recordingId: string, kind: TextKind): Promise<SealedText[]> {
  const query = db.selectFrom("recording_text").selectAll().where("recording_id", "=", recordingId);
  return await query.where("kind", "=", kind).orderBy("part").execute();
}
