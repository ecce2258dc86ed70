// Reads and writes the rows of detected restores and the marks that a restore leaves.
import type { LostChange, RestoreEnds, RestoreReview } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { JsonColumn } from "#kernel/db/tables.ts";

interface RestoresTable {
  id: string;
  found_by: RestoreReview["found_by"];
  backup_made_at: Date | null;
  is_authenticated: boolean | null;
  restored_at: Date;
  kept_checkpoint: string | null;
  missing_entries: number | null;
  ended: JsonColumn<RestoreEnds>;
  changes: JsonColumn<LostChange[]>;
  finished_at: Date | null;
  finished_by: string | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    admin_restores: RestoresTable;
  }
}

export interface MarkRow {
  found_by: "restore" | "command";
  backup_made_at: Date | null;
  is_authenticated: boolean | null;
  marked_at: Date;
}

/** Takes the lock that lets only one process at a time handle a restored database. */
export async function lockRestores(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('strongroom.restores'))`.execute(tx);
}

/** Deletes the marks and returns the newest one. */
export async function takeMark(tx: Tx): Promise<MarkRow | null> {
  const { rows } = await sql<MarkRow>`
    delete from restore_marks returning found_by, backup_made_at, is_authenticated, marked_at`.execute(tx);
  return rows.toSorted((a, b) => b.marked_at.getTime() - a.marked_at.getTime())[0] ?? null;
}

export async function hasMark(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from restore_marks) as found`.execute(db);
  return rows[0]?.found === true;
}

export async function isCheckpointKnown(db: Db, digest: string): Promise<boolean> {
  const row = db.selectFrom("admin_restores").select("id").where("kept_checkpoint", "=", digest);
  return (await row.executeTakeFirst()) !== undefined;
}

export interface NewRestore extends Omit<RestoresTable, "ended" | "changes" | "finished_at" | "finished_by"> {
  ended: RestoreEnds;
  changes: readonly LostChange[];
}

export async function insertRestore(tx: Tx, row: NewRestore): Promise<void> {
  const { ended, changes, ...rest } = row;
  await tx
    .insertInto("admin_restores")
    .values({
      ...rest,
      ended: JSON.stringify(ended),
      changes: JSON.stringify(changes),
      finished_at: null,
      finished_by: null,
    })
    .execute();
}

export const findOpenRestores = (db: Db) =>
  db
    .selectFrom("admin_restores")
    .selectAll()
    .where("finished_at", "is", null)
    .orderBy("restored_at", "desc")
    .limit(20)
    .execute();

export async function finishRestores(tx: Tx, by: string, at: Date): Promise<string[]> {
  const update = tx.updateTable("admin_restores").set({ finished_at: at, finished_by: by });
  return (await update.where("finished_at", "is", null).returning("id").execute()).map(({ id }) => id);
}

/** Deletes the stored replies to repeated requests, which are from before the restore. */
export async function deleteStoredReplies(tx: Tx): Promise<void> {
  await sql`delete from idempotency_keys`.execute(tx);
}

/** The given audit entries that exist in the database. */
export async function findKnownEntries(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id::text as id from audit_entries where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
