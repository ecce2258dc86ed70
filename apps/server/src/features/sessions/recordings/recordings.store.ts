// Recordings of sessions in the database: where each is stored, and the digests of its chunks.
import { sql } from "kysely";
import type { ColumnType, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { isAlive } from "../gateway/gateways.store.ts";

type Count = ColumnType<number, undefined, number>;
/** Null at first, set later. */
type Later<T> = ColumnType<T | null, undefined, T | null>;

export type StorageKind = "folder" | "s3";

interface RecordingsTable {
  id: string;
  session_id: string;
  storage: StorageKind;
  path: string;
  status: ColumnType<"open" | "closed" | "broken", undefined, "open" | "closed" | "broken">;
  bytes: Count;
  chunks: Count;
  duration_ms: Count;
  unstored_bytes: Count;
  started_at: Date;
  closed_at: Later<Date>;
  held_at: Later<Date>;
  held_by: Later<string>;
  held_why: Later<string>;
  hold_released_at: Later<Date>;
  last_chunk: Later<number>;
  last_digest: Later<Buffer>;
  deletion_began_at: Later<Date>;
  deletion_days: Later<number>;
  deleted_at: Later<Date>;
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
  storage: StorageKind;
  /** Where it is in its storage, for administrators. Nothing reads it. */
  path: string;
  startedAt: Date;
}

/** The session counts as recorded from now on. */
export async function insertRecording(
  tx: Tx,
  { id, sessionId, storage, path, startedAt }: NewRecording,
): Promise<void> {
  const row = { id, session_id: sessionId, storage, path, started_at: startedAt };
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

/** New chunks of one recording, in order; at least one. */
export interface NewChunks {
  recordingId: string;
  chunks: readonly StoredChunk[];
}

/** Two statements, whatever the number of recordings. */
export async function insertChunks(tx: Tx, groups: readonly NewChunks[]): Promise<void> {
  const rows = groups.flatMap(({ recordingId, chunks }) =>
    chunks.map(({ number, offset, bytes, digest, from, to }) => ({
      recording_id: recordingId,
      number,
      file_offset: offset,
      bytes,
      digest,
      from_ms: from,
      to_ms: to,
    })),
  );
  // The gateway repeats chunks whose commit was not confirmed.
  await tx
    .insertInto("recording_chunks")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const lasts = groups.map(({ recordingId, chunks }) => {
    const { number, offset, bytes, to } = chunks.at(-1)!;
    return { id: recordingId, chunks: number + 1, bytes: offset + bytes, duration_ms: to };
  });
  await sql`
    update recordings set chunks = fresh.chunks, duration_ms = fresh.duration_ms, bytes = fresh.bytes
    from jsonb_to_recordset(${JSON.stringify(lasts)}::jsonb)
      as fresh (id uuid, chunks integer, bytes bigint, duration_ms bigint)
    where recordings.id = fresh.id`.execute(tx);
}

export interface ClosedAs {
  isClosed: boolean;
  unstoredBytes: number;
  /** Of the last chunk; null without a chunk. */
  digest: Buffer | null;
  /** The count in the file, if it is higher than the one in the database. */
  chunks: number;
  durationMs: number;
}

/**
 * Returns false when it was closed before. A gateway that restarts closes a recording that was marked broken in the
 * meantime.
 */
export async function markClosed(
  tx: Tx,
  id: string,
  { isClosed, unstoredBytes, digest, chunks, durationMs }: ClosedAs,
): Promise<boolean> {
  const { rows } = await sql`
    update recordings set status = ${isClosed ? "closed" : "broken"}, closed_at = access_time(),
      unstored_bytes = ${unstoredBytes}, chunks = greatest(chunks, ${chunks}), duration_ms = greatest(duration_ms, ${durationMs}),
      last_chunk = ${digest === null ? null : chunks - 1}::integer, last_digest = ${digest}::bytea
    where id = ${id} and (status = 'open' or (status = 'broken' and ${isClosed}::boolean)) returning id`.execute(tx);
  return rows.length > 0;
}

/** The digests of the stored chunks, in order. */
export async function readChunkDigests(db: Db, id: string): Promise<{ number: number; digest: Buffer }[]> {
  const query = db.selectFrom("recording_chunks").select(["number", "digest"]);
  return await query.where("recording_id", "=", id).orderBy("number").execute();
}

/**
 * The newest `limit` sessions of a user, on an account or under a grant, for evidence bundles. Does not filter by
 * visibility: the caller has checked that the user may see the whole trail.
 */
export async function sessionsAbout(
  db: Db,
  { type, id }: { type: "access-request" | "account" | "user"; id: string },
  limit: number,
): Promise<string[]> {
  const column = ({ "access-request": "grant_id", account: "account_id", user: "user_id" } as const)[type];
  const query = db.selectFrom("sessions").select("id").where(column, "=", id);
  const rows = await query.orderBy("requested_at", "desc").orderBy("id", "desc").limit(limit).execute();
  return rows.map((row) => row.id);
}

export async function readRecordingOf(db: Db, sessionId: string): Promise<RecordingRow | null> {
  const query = db.selectFrom("recordings").selectAll().where("session_id", "=", sessionId);
  return (await query.executeTakeFirst()) ?? null;
}

export interface AbandonedRecording {
  id: string;
  session_id: string;
  safe_id: string;
  storage: StorageKind;
  number: number | null;
  digest: Buffer | null;
  /** It could not be read for a day. */
  is_given_up: boolean;
}

/** Open recordings of sessions that ended on a gateway that has gone, with the last chunk that the database knows. */
export async function findAbandonedRecordings(db: Db, limit: number): Promise<AbandonedRecording[]> {
  const { rows } = await sql<AbandonedRecording>`
    select recordings.id, recordings.session_id, recordings.storage, sessions.safe_id, last.number, last.digest,
      sessions.ended_at < access_time() - interval '1 day' as is_given_up
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
