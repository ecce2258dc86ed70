// Stores, lists and ends rotations and their journal lines.
import type { Rotation, RotationStep } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, JSONColumnType, Selectable } from "kysely";
import { rotationState } from "#features/secrets/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import type { Journal } from "./rotation.policy.ts";

type Later<T> = ColumnType<T | null, T | null | undefined, T | null>;

export interface RotationRequester {
  id: string;
  name: string;
}

export type RotationKind = "password" | "key" | "issued";

export interface RotationsTable {
  id: string;
  credential_id: string;
  /** Null for an account. */
  user_id: string | null;
  credential_name: string;
  because: Rotation["because"];
  asked_by: JSONColumnType<RotationRequester | null>;
  run_id: Later<string>;
  is_counted: ColumnType<boolean, undefined, boolean>;
  target: string | null;
  step: RotationStep;
  kind: Later<RotationKind>;
  journal: JSONColumnType<Journal>;
  outcome: Later<"rotated" | "cancelled" | "superseded">;
  needs_attention: ColumnType<boolean, undefined, boolean>;
  code: Later<string>;
  message: string;
  tries: ColumnType<number, undefined, number>;
  next_at: ColumnType<Date | null, unknown, unknown>;
  asked_again_at: ColumnType<Date[], undefined, never>;
  lease_token: Later<string>;
  lease_until: ColumnType<Date | null, unknown, unknown>;
  started_at: Date;
  ended_at: Later<Date>;
}

export interface RotationLinesTable {
  rotation_id: string;
  number: number;
  step: RotationStep;
  message: string;
  at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    rotations: RotationsTable;
    rotation_lines: RotationLinesTable;
  }
}

export type RotationRow = Selectable<RotationsTable>;
export type ShownRotation = RotationRow & { state: Rotation["state"] };
export type LineRow = Pick<RotationLinesTable, "step" | "message" | "at">;

const shown = (db: Db) => db.selectFrom("rotations").selectAll().select(rotationState.as("state"));

export async function readRotation(db: Db, id: string): Promise<ShownRotation | null> {
  return (await shown(db).where("id", "=", id).executeTakeFirst()) ?? null;
}

/** Returns the rotations in no particular order. */
export function readRotations(db: Db, ids: readonly string[]): Promise<ShownRotation[]> {
  return shown(db)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

export async function readOpen(db: Db, credentialId: string): Promise<ShownRotation | null> {
  const query = shown(db).where("credential_id", "=", credentialId).where("step", "<>", "ended");
  return (await query.executeTakeFirst()) ?? null;
}

export async function listRotations(
  db: Db,
  credentialId: string,
  { limit, after }: { limit: number; after: TimePlace | null },
): Promise<ShownRotation[]> {
  let query = shown(db).where("credential_id", "=", credentialId);
  if (after !== null) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("started_at", "id"), "<", tuple(after.at, after.id)));
  }
  return query.orderBy("started_at", "desc").orderBy("id", "desc").limit(limit).execute();
}

export async function listLines(db: Db, rotationId: string): Promise<LineRow[]> {
  const query = db.selectFrom("rotation_lines").select(["step", "message", "at"]).where("rotation_id", "=", rotationId);
  return query.orderBy("number").execute();
}

export type NewRotation = Omit<Insertable<RotationsTable>, "next_at" | "journal" | "asked_by" | "step"> & {
  journal: Journal;
  asked_by: RotationRequester | null;
};

/**
 * Inserts rotations that are due immediately. Skips credentials that have an open rotation. Returns the ids of the
 * inserted rows.
 */
export async function insertRotations(tx: Tx, rows: readonly NewRotation[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const values = rows.map((row) => ({
    ...row,
    journal: JSON.stringify(row.journal),
    asked_by: row.asked_by === null ? (sql`null` as never) : JSON.stringify(row.asked_by),
    step: row.journal.step,
    next_at: sql`access_time()`,
  }));
  const inserted = await tx
    .insertInto("rotations")
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["id", "started_at"])
    .execute();
  const ids = inserted.map(({ id }) => id);
  await sql`
    insert into rotation_lines (rotation_id, number, step, message, at)
    select id, 1, step, message, started_at from rotations where id = any(${ids}::uuid[])`.execute(tx);
  return ids;
}

/** Makes an open rotation due now. The caller must have checked that no worker has leased it. */
export async function wakeRotation(
  tx: Tx,
  id: string,
  { journal, message, asked_by, at }: { journal: Journal; message: string; asked_by: RotationRequester; at: Date },
): Promise<void> {
  await sql`
    with woken as (
      update rotations set journal = ${JSON.stringify(journal)}::jsonb, step = ${journal.step}, needs_attention = false,
        code = null, message = ${message}, asked_by = ${JSON.stringify(asked_by)}::jsonb, tries = ${journal.tries},
        next_at = access_time(), lease_token = null, lease_until = null,
        asked_again_at = array_append(asked_again_at, ${at}::timestamptz)
      where id = ${id} returning id
    )
    insert into rotation_lines (rotation_id, number, step, message, at)
    select id, coalesce((select max(number) from rotation_lines where rotation_id = id), 0) + 1, ${journal.step},
      ${message}, ${at} from woken`.execute(tx);
}

/**
 * Ends rotations that have sent nothing to the target and that no worker has leased; returns their ids. This also
 * withdraws a requested change, but not a change that is due after a use.
 */
export async function endCancelled(tx: Tx, ids: readonly string[], message: string, at: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ended as (
      update rotations set step = 'ended', outcome = 'cancelled', ended_at = ${at}, needs_attention = false, next_at = null,
        lease_token = null, lease_until = null, message = ${message}
      where id = any(${[...ids]}::uuid[]) and step in ('planned', 'stored') and not (journal ->> 'inDoubt')::boolean
        and (lease_until is null or lease_until < clock_timestamp())
      returning id, credential_id
    ), unwanted as (
      update accounts set rotation_wanted_at = null, rotation_wanted_because = null
      from ended where accounts.id = ended.credential_id and accounts.rotation_wanted_because = 'asked'
    )
    insert into rotation_lines (rotation_id, number, step, message, at)
    select id, coalesce((select max(number) from rotation_lines where rotation_id = id), 0) + 1, 'ended', ${message}, ${at}
    from ended returning rotation_id as id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Returns the ids of the run's open rotations. */
export async function openOfRun(db: Db, runId: string): Promise<string[]> {
  const query = db.selectFrom("rotations").select("id").where("run_id", "=", runId).where("step", "<>", "ended");
  return (await query.execute()).map(({ id }) => id);
}

/** Records that the active secret was stored just now. */
export async function recordRotated(tx: Tx, accountId: string, at: Date): Promise<void> {
  await sql`
    update accounts set rotated_at = ${at}, rotation_wanted_at = null, rotation_wanted_because = null,
      rotation_block_lifted = false, rotation_hindrance = null
    where id = ${accountId}`.execute(tx);
}
