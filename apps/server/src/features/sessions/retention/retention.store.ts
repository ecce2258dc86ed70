// The retention of recordings in the database: which are due, and the progress of their deletion.
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { StorageKind } from "../recordings/recordings.store.ts";
import type { SessionRow } from "../sessions.store.ts";

const A_WEEK = "interval '7 days'";

/** Of `recordings` with the `platforms` row of its session: null when the platform keeps recordings forever. A released hold delays it. */
export const retentionEnd = sql<Date | null>`case when platforms.session_recording_days is not null then greatest(
  recordings.closed_at + make_interval(days => platforms.session_recording_days),
  recordings.hold_released_at + ${sql.raw(A_WEEK)}) end`;

const isDue = sql<boolean>`recordings.status <> 'open' and recordings.held_at is null
  and recordings.deletion_began_at is null and ${retentionEnd} <= access_time()`;

/** Returns false when it has a legal hold, or is being deleted. */
export async function placeHold(tx: Tx, id: string, by: string, reason: string): Promise<boolean> {
  const { rows } = await sql`
    update recordings set held_at = access_time(), held_by = ${by}, held_why = ${reason}
    where id = ${id} and held_at is null and deletion_began_at is null returning id`.execute(tx);
  return rows.length > 0;
}

/** Returns false without a legal hold. */
export async function releaseHold(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    update recordings set held_at = null, held_by = null, held_why = null, hold_released_at = access_time()
    where id = ${id} and held_at is not null returning id`.execute(tx);
  return rows.length > 0;
}

export interface DeletableRecording {
  id: string;
  storage: StorageKind;
  /** Its file may be left. */
  is_deleted: boolean;
}

/** Recordings past their retention, those whose deletion was interrupted, and those deleted in the last week; oldest first. */
export async function findDeletable(db: Db): Promise<DeletableRecording[]> {
  const { rows } = await sql<DeletableRecording>`
    select recordings.id, recordings.storage, recordings.deleted_at is not null as is_deleted from recordings
    join sessions on sessions.id = recordings.session_id
    left join platforms on platforms.id = sessions.platform_id
    where recordings.deleted_at > access_time() - ${sql.raw(A_WEEK)}
      or (recordings.deleted_at is null and (recordings.deletion_began_at is not null or (${isDue})))
    order by recordings.closed_at`.execute(db);
  return rows;
}

/**
 * Begins the deletion of a recording that is due, and deletes its text. INVARIANT: after waiting for the row's lock, PostgreSQL checks the
 * conditions again, so a recording with a legal hold is never deleted.
 */
export async function beginDeletion(tx: Tx, id: string): Promise<void> {
  const { rows } = await sql`
    update recordings set deletion_began_at = access_time(), deletion_days = platforms.session_recording_days
    from sessions, platforms
    where recordings.id = ${id} and sessions.id = recordings.session_id and platforms.id = sessions.platform_id and ${isDue}
    returning recordings.id`.execute(tx);
  if (rows.length > 0) await tx.deleteFrom("recording_text").where("recording_id", "=", id).execute();
}

export interface BegunDeletion extends SessionRow {
  days: number;
  last_chunk: number | null;
  last_digest: Buffer | null;
  /** No server found the file within a week. */
  is_given_up: boolean;
}

/** The session of a recording whose deletion has begun and is not finished; null otherwise. */
export async function readBegunDeletion(db: Db, id: string): Promise<BegunDeletion | null> {
  const { rows } = await sql<BegunDeletion>`
    select sessions.*, deletion_days as days, last_chunk, last_digest,
      deletion_began_at <= access_time() - ${sql.raw(A_WEEK)} as is_given_up
    from recordings join sessions on sessions.id = recordings.session_id
    where recordings.id = ${id} and deletion_began_at is not null and deleted_at is null`.execute(db);
  return rows[0] ?? null;
}

/** Returns false when it was finished before. */
export async function finishDeletion(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    update recordings set deleted_at = access_time()
    where id = ${id} and deletion_began_at is not null and deleted_at is null returning id`.execute(tx);
  if (rows.length === 0) return false;
  await tx.deleteFrom("recording_chunks").where("recording_id", "=", id).execute();
  return true;
}
