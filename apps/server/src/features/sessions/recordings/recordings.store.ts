// Recordings of sessions in the database: where each is stored, and the digests of its chunks.
import { sql } from "kysely";
import type { ColumnType, Generated, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { isAlive } from "../gateway/gateways.store.ts";

type Count = ColumnType<number, undefined, number>;

interface RecordingsTable {
  id: string;
  session_id: string;
  storage: "folder";
  path: string;
  status: ColumnType<"open" | "closed" | "broken", undefined, "open" | "closed" | "broken">;
  bytes: Count;
  chunks: Count;
  duration_ms: Count;
  unstored_bytes: Count;
  started_at: Date;
  closed_at: ColumnType<Date | null, undefined, Date | null>;
  retention_until: ColumnType<Date | null, undefined, Date | null>;
  legal_hold: Generated<boolean>;
}

interface RecordingChunksTable {
  recording_id: string;
  number: number;
  file_offset: number;
  bytes: number;
  digest: Buffer;
  from_ms: number;
  to_ms: number;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    recordings: RecordingsTable;
    recording_chunks: RecordingChunksTable;
  }
}

export type RecordingRow = Selectable<RecordingsTable>;

export interface NewRecording {
  id: string;
  sessionId: string;
  /** The file's path, relative to the folder of recordings. */
  path: string;
  startedAt: Date;
}

/** The session counts as recorded from now on. */
export async function insertRecording(tx: Tx, { id, sessionId, path, startedAt }: NewRecording): Promise<void> {
  const row = { id, session_id: sessionId, storage: "folder" as const, path, started_at: startedAt };
  await tx.insertInto("recordings").values(row).execute();
  await tx.updateTable("sessions").set({ is_recorded: true }).where("id", "=", sessionId).execute();
}

export interface StoredChunk {
  number: number;
  offset: number;
  bytes: number;
  digest: Buffer;
  /** Milliseconds since the start. */
  from: number;
  to: number;
}

export async function insertChunks(tx: Tx, recordingId: string, chunks: readonly StoredChunk[]): Promise<void> {
  const rows = chunks.map(({ number, offset, bytes, digest, from, to }) => ({
    recording_id: recordingId,
    number,
    file_offset: offset,
    bytes,
    digest,
    from_ms: from,
    to_ms: to,
  }));
  await tx.insertInto("recording_chunks").values(rows).execute();
  await sql`
    update recordings set chunks = ${chunks.at(-1)!.number + 1}, duration_ms = ${chunks.at(-1)!.to},
      bytes = ${chunks.at(-1)!.offset + chunks.at(-1)!.bytes}
    where id = ${recordingId}`.execute(tx);
}

/** Returns false when it was closed before. */
export async function markClosed(
  tx: Tx,
  id: string,
  { isClosed, unstoredBytes }: { isClosed: boolean; unstoredBytes: number },
): Promise<boolean> {
  const { rows } = await sql`
    update recordings set status = ${isClosed ? "closed" : "broken"}, closed_at = access_time(), unstored_bytes = ${unstoredBytes}
    where id = ${id} and status = 'open' returning id`.execute(tx);
  return rows.length > 0;
}

export async function readRecordingOf(db: Db, sessionId: string): Promise<RecordingRow | null> {
  const query = db.selectFrom("recordings").selectAll().where("session_id", "=", sessionId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Open recordings of sessions that ended on a gateway that has gone, with their last stored chunk. */
export async function findAbandonedRecordings(db: Db, limit: number) {
  const { rows } = await sql<{ id: string; session_id: string; number: number | null; digest: Buffer | null }>`
    select recordings.id, recordings.session_id, last.number, last.digest
    from recordings
    join sessions on sessions.id = recordings.session_id
    left join gateways on gateways.id = sessions.gateway_id and ${isAlive}
    left join lateral (
      select number, digest from recording_chunks where recording_id = recordings.id order by number desc limit 1
    ) last on true
    where recordings.status = 'open' and sessions.status = 'completed' and gateways.id is null
    order by recordings.started_at limit ${limit}`.execute(db);
  return rows;
}
