// Database queries for contradictions: each finding, and the administrator's decision about it.
import type { FindingKind } from "@strongroom/auditlog";
import { sql } from "kysely";
import type { Insertable, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface ContradictionsTable {
  id: string;
  fingerprint: Buffer;
  source: string;
  subject: string;
  is_stopping: boolean;
  kind: FindingKind;
  leaf_index: number | null;
  message: string;
  known_note: string | null;
  stored_note: string | null;
  found_at: Date;
  accepted_at: Date | null;
  accepted_by: string | null;
  reason: string | null;
  base_note: string | null;
  mac: Buffer | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    audit_contradictions: ContradictionsTable;
  }
}

export type ContradictionRow = Selectable<ContradictionsTable>;
export type FoundContradiction = Omit<ContradictionRow, "accepted_at" | "accepted_by" | "reason" | "base_note" | "mac">;

/** Returns false if the contradiction is already recorded. */
export async function insertContradiction(tx: Tx, found: FoundContradiction): Promise<boolean> {
  const row: Insertable<ContradictionsTable> = {
    ...found,
    accepted_at: null,
    accepted_by: null,
    reason: null,
    base_note: null,
    mac: null,
  };
  const { numInsertedOrUpdatedRows: inserted } = await tx
    .insertInto("audit_contradictions")
    .values(row)
    .onConflict((conflict) => conflict.column("fingerprint").doNothing())
    .executeTakeFirstOrThrow();
  return inserted === 1n;
}

/** Oldest first. */
export const listOpen = (db: Db): Promise<ContradictionRow[]> =>
  db.selectFrom("audit_contradictions").selectAll().where("accepted_at", "is", null).orderBy("found_at").execute();

/** Returns the newest decisions first. */
export const listAccepted = (db: Db, limit: number): Promise<ContradictionRow[]> =>
  db
    .selectFrom("audit_contradictions")
    .selectAll()
    .where("accepted_at", "is not", null)
    .orderBy("accepted_at", "desc")
    .limit(limit)
    .execute();

export async function findByFingerprint(db: Db, fingerprints: readonly Buffer[]): Promise<ContradictionRow[]> {
  if (fingerprints.length === 0) return [];
  return db
    .selectFrom("audit_contradictions")
    .selectAll()
    .where(sql<boolean>`fingerprint = any(${fingerprints}::bytea[])`)
    .execute();
}

export const lockOpen = (tx: Tx): Promise<ContradictionRow[]> =>
  tx
    .selectFrom("audit_contradictions")
    .selectAll()
    .where("accepted_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();

export interface Decision {
  accepted_at: Date;
  accepted_by: string;
  reason: string;
  base_note: string | null;
  mac: Buffer;
}

export async function recordDecision(tx: Tx, id: string, decision: Decision): Promise<void> {
  await tx.updateTable("audit_contradictions").set(decision).where("id", "=", id).execute();
}

export const listAcceptedEntries = (db: Db): Promise<ContradictionRow[]> =>
  db
    .selectFrom("audit_contradictions")
    .selectAll()
    .where("source", "=", "pending")
    .where("accepted_at", "is not", null)
    .execute();
