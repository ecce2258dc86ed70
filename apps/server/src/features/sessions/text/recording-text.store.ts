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
  /** The sealed filter of `lines`; null for marks, and for lines stored before filters existed. */
  filter: Buffer | null;
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

/** Oldest part first. `parts` limits it to these parts. */
export async function readSealedText(
  db: Db,
  recordingId: string,
  kind: TextKind,
  parts: readonly number[] | null = null,
): Promise<SealedText[]> {
  const query = db.selectFrom("recording_text").selectAll().where("recording_id", "=", recordingId);
  const some = parts === null ? query : query.where("part", "in", [...parts]);
  return await some.where("kind", "=", kind).orderBy("part").execute();
}

export type StoredFilter = Omit<SealedText, "sealed">;

/** The filters of all parts of these recordings. */
export async function readFilters(db: Db, recordingIds: readonly string[]): Promise<StoredFilter[]> {
  const columns = ["recording_id", "kind", "part", "kek_id", "filter"] as const;
  const query = db.selectFrom("recording_text").select(columns).where("kind", "=", "lines");
  return await query
    .where("recording_id", "in", [...recordingIds])
    .orderBy("part")
    .execute();
}

/** Texts that were stored before filters existed. */
export async function findUnfiltered(
  db: Db,
  limit: number,
  after: Pick<SealedText, "recording_id" | "part"> | null,
): Promise<SealedText[]> {
  let query = db.selectFrom("recording_text").selectAll().where("kind", "=", "lines").where("filter", "is", null);
  if (after !== null) query = query.where(sql<boolean>`(recording_id, part) > (${after.recording_id}, ${after.part})`);
  return await query.orderBy("recording_id").orderBy("part").limit(limit).execute();
}

export async function storeFilter(tx: Tx, { recording_id, part }: SealedText, filter: Buffer): Promise<void> {
  await tx
    .updateTable("recording_text")
    .set({ filter })
    .where("recording_id", "=", recording_id)
    .where("kind", "=", "lines")
    .where("part", "=", part)
    .execute();
}
