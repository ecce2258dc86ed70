// Database queries for pending entries: takes them for sequencing, and quarantines those whose MAC is missing or wrong.
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

declare module "#kernel/db/tables.ts" {
  interface Tables {
    audit_pending: { entry_id: string; seq: number; mac: Buffer | null; mac_key: string | null };
    audit_pending_keys: { name: string; sealed_key: Buffer; created_at: Date };
    audit_quarantine: {
      entry_id: string;
      mac: Buffer | null;
      mac_key: string | null;
      reason: string;
      found_at: Date;
    };
  }
}

export interface TakenEntry {
  entry_id: string;
  mac: Buffer | null;
  mac_key: string | null;
  /** Null if the entry is missing, although Strongroom never deletes entries. */
  canonical: Buffer | null;
  /** Whether the entry is already sequenced, because its pending row was inserted again from outside. */
  is_placed: boolean;
  /** Whether later entries in the order of lists are already in the tree. */
  is_late: boolean;
}

/** Entries that this process can check; the others wait for a process that has their key. */
const isReadable = (keyNames: readonly string[]) => sql`(mac_key is null or mac_key = any(${keyNames}::text[]))`;

/**
 * Takes the oldest pending entries; the same transaction sequences them. Late entries come last, and only if all others
 * fit: their new numbers would make the remaining entries late as well.
 */
export async function takePending(tx: Tx, keyNames: readonly string[], limit: number): Promise<TakenEntry[]> {
  // One lookup per entry instead of a join: on a small trail the planner would read the whole trail for every batch.
  const { rows } = await sql<TakenEntry>`
    with tree as materialized (
      select coalesce((
        select seq from audit_entries where id = (select entry_id from audit_leaves order by leaf_index desc limit 1)
      ), 0) as reached
    ), timely as materialized (
      select entry_id from audit_pending
      where ${isReadable(keyNames)} and seq > (select reached from tree) order by seq limit ${limit}
    ), late as materialized (
      select entry_id from audit_pending
      where ${isReadable(keyNames)} and seq <= (select reached from tree) order by seq
      limit ${limit} - (select count(*) from timely)
    ), taken as (
      delete from audit_pending
      where entry_id in (select entry_id from timely union all select entry_id from late)
      returning entry_id, seq, mac, mac_key
    )
    select taken.entry_id, mac, mac_key, seq <= (select reached from tree) as is_late, (select entry.canonical from audit_entries entry where entry.id = taken.entry_id) as canonical,
      exists (select from audit_leaves leaf where leaf.entry_id = taken.entry_id) as is_placed
    from taken order by is_late, seq`.execute(tx);
  return rows;
}

export async function hasPending(db: Db, keyNames: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from audit_pending where ${isReadable(keyNames)}) as is`.execute(db);
  return rows[0]?.is === true;
}

/** Pending entries whose key is unknown to this process. */
export const listUnreadable = (db: Db, keyNames: readonly string[]) =>
  db
    .selectFrom("audit_pending")
    .select(["entry_id", "mac_key"])
    .where(sql<boolean>`not ${isReadable(keyNames)}`)
    .orderBy("entry_id")
    .limit(1000)
    .execute();

export async function insertQuarantined(
  tx: Tx,
  rows: readonly Pick<TakenEntry, "entry_id" | "mac" | "mac_key">[],
  { reason, at }: { reason: string; at: Date },
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ entry_id, mac, mac_key }) => ({ entry_id, mac, mac_key, reason, found_at: at }));
  await tx
    .insertInto("audit_quarantine")
    .values(values)
    .onConflict((conflict) => conflict.column("entry_id").doNothing())
    .execute();
}

export async function isAnyKey(db: Db, purpose: string): Promise<boolean> {
  const found = await db.selectFrom("keks").select("id").where("purpose", "=", purpose).executeTakeFirst();
  return found !== undefined;
}

/** Entries without a MAC, with the fields that a MAC covers. */
export async function readUnstamped(tx: Tx): Promise<{ entry_id: string; canonical: Buffer }[]> {
  return tx
    .selectFrom("audit_pending as pending")
    .innerJoin("audit_entries as entry", "entry.id", "pending.entry_id")
    .select(["pending.entry_id", "entry.canonical"])
    .where("pending.mac", "is", null)
    .orderBy("pending.entry_id")
    .forUpdate("pending")
    .execute();
}

export async function setMacs(tx: Tx, keyName: string, ids: readonly string[], macs: readonly Buffer[]): Promise<void> {
  await sql`
    update audit_pending set mac = stamped.mac, mac_key = ${keyName}
    from unnest(${ids}::uuid[], ${macs}::bytea[]) stamped (id, mac) where entry_id = stamped.id`.execute(tx);
}

export type Whereabouts = "placed" | "waiting" | "quarantined" | "gone";

/** Returns whether each of the given entries is in the tree, pending, quarantined or missing. */
export async function whereAre(db: Db, ids: readonly string[]): Promise<{ id: string; is: Whereabouts }[]> {
  const { rows } = await sql<{ id: string; is: Whereabouts }>`
    select id, case
      when exists (select from audit_leaves where entry_id = asked.id) then 'placed'
      when exists (select from audit_pending where entry_id = asked.id) then 'waiting'
      when exists (select from audit_quarantine quarantined join audit_entries entry on entry.id = quarantined.entry_id
        where quarantined.entry_id = asked.id) then 'quarantined'
      else 'gone' end as is
    from unnest(${ids}::uuid[]) asked (id)`.execute(db);
  return rows;
}

export const listPendingKeys = (db: Db) =>
  db.selectFrom("audit_pending_keys").select(["name", "sealed_key"]).orderBy("name").limit(1000).execute();

/** Replaces a key that cannot be opened. */
export async function storePendingKey(
  tx: Tx,
  row: { name: string; sealed_key: Buffer; created_at: Date },
): Promise<void> {
  const inserting = tx.insertInto("audit_pending_keys").values(row);
  await inserting
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ sealed_key: row.sealed_key }))
    .execute();
}
