// Database queries for the checkpoints of watched logs, and for the witness key.
import { sql } from "kysely";
import type { Generated, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface WitnessedLogsTable {
  id: string;
  name: string;
  origin: string;
  verifier_key: string;
  size: Generated<number>;
  note: string | null;
  cosigned_at: Date | null;
  refused_note: string | null;
  refused_reason: string | null;
  refused_at: Date | null;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    audit_witness: { name: string; sealed_seed: Buffer; created_at: Date };
    audit_witnessed_logs: WitnessedLogsTable;
  }
}

export type WitnessedLogRow = Selectable<WitnessedLogsTable>;

export const readWitness = (db: Db) =>
  db.selectFrom("audit_witness").select(["name", "sealed_seed"]).executeTakeFirst();

/** Skips the insert if another process has already inserted the row. */
export async function insertWitness(
  tx: Tx,
  row: { name: string; sealed_seed: Buffer; created_at: Date },
): Promise<void> {
  const inserting = tx.insertInto("audit_witness").values(row);
  await inserting.onConflict((conflict) => conflict.column("is_only" as never).doNothing()).execute();
}

export const listLogs = (db: Db): Promise<WitnessedLogRow[]> =>
  db
    .selectFrom("audit_witnessed_logs")
    .selectAll()
    .orderBy(sql`lower(name)`)
    .execute();

/** Locks a log before a checkpoint of it is checked: otherwise two contradicting checkpoints could both be accepted. */
export const lockLog = (tx: Tx, origin: string): Promise<WitnessedLogRow | undefined> =>
  tx.selectFrom("audit_witnessed_logs").selectAll().where("origin", "=", origin).forUpdate().executeTakeFirst();

/** Null if this log is already watched. */
export async function insertLog(
  tx: Tx,
  log: Pick<WitnessedLogRow, "id" | "name" | "origin" | "verifier_key" | "created_at">,
): Promise<WitnessedLogRow | null> {
  const inserting = tx.insertInto("audit_witnessed_logs").values(log);
  const row = await inserting
    .onConflict((conflict) => conflict.column("origin").doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function acceptCheckpoint(
  tx: Tx,
  id: string,
  seen: { size: number; note: string; at: Date },
): Promise<void> {
  const { size, note, at } = seen;
  await tx.updateTable("audit_witnessed_logs").set({ size, note, cosigned_at: at }).where("id", "=", id).execute();
}

export async function recordRefusal(
  tx: Tx,
  id: string,
  refused: { note: string; reason: string; at: Date },
): Promise<void> {
  const { note, reason, at } = refused;
  await tx
    .updateTable("audit_witnessed_logs")
    .set({ refused_note: note, refused_reason: reason, refused_at: at })
    .where("id", "=", id)
    .execute();
}

/** Returns null if the log is not watched. */
export async function removeLog(tx: Tx, id: string): Promise<WitnessedLogRow | null> {
  return (await tx.deleteFrom("audit_witnessed_logs").where("id", "=", id).returningAll().executeTakeFirst()) ?? null;
}
