// Keeps wrapped key-encryption keys and the seal record in the database.
import { rootKeyChanged } from "@strongroom/keys";
import type { KekStore, SealRecord, WrappedKek } from "@strongroom/keys";
import type { Generated } from "kysely";
import { sql } from "kysely";
import type { Database, Db, Tx } from "../db/database.ts";

declare module "../db/tables.ts" {
  interface Tables {
    seal: { is_only: Generated<boolean>; record: SealRecord; root_key_id: string; changed_at: Generated<Date> };
    keks: { id: string; purpose: string; root_key_id: string; wrapped: Buffer; created_at: Generated<Date> };
  }
}

interface KekRow {
  id: string;
  purpose: string;
  root_key_id: string;
  wrapped: Buffer;
}

const toKek = (row: KekRow): WrappedKek => ({
  id: row.id,
  purpose: row.purpose,
  rootKeyId: row.root_key_id,
  wrapped: row.wrapped,
});

const toRow = (kek: WrappedKek): KekRow => ({
  id: kek.id,
  purpose: kek.purpose,
  root_key_id: kek.rootKeyId,
  wrapped: Buffer.from(kek.wrapped),
});

/** Locks the seal row for the transaction and returns the id of the current root key, or null before the first start. */
async function lockSeal(tx: Tx, strength: "share" | "update"): Promise<string | null> {
  const lock = strength === "share" ? sql`for share` : sql`for update`;
  const result = await sql<{ root_key_id: string }>`select root_key_id from seal ${lock}`.execute(tx);
  return result.rows[0]?.root_key_id ?? null;
}

export function createKekStore(database: Database): KekStore {
  return {
    async load() {
      const rows = await database.db.selectFrom("keks").selectAll().execute();
      return rows.map(toKek);
    },
    async find(id) {
      const row = await database.db.selectFrom("keks").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toKek(row);
    },
    insert: (kek) =>
      database.transaction(async (tx) => {
        if ((await lockSeal(tx, "share")) !== kek.rootKeyId) throw rootKeyChanged();
        await tx
          .insertInto("keks")
          .values(toRow(kek))
          .onConflict((conflict) => conflict.column("purpose").doNothing())
          .execute();
        const stored = tx.selectFrom("keks").selectAll().where("purpose", "=", kek.purpose);
        return toKek(await stored.executeTakeFirstOrThrow());
      }),
    replaceAll: (keks, record, oldRootKeyId) =>
      database.transaction(async (tx) => {
        if ((await lockSeal(tx, "update")) !== oldRootKeyId) return "stale";
        const stored = await tx.selectFrom("keks").select("id").execute();
        const ids = new Set(keks.map((kek) => kek.id));
        if (stored.length !== ids.size || stored.some((row) => !ids.has(row.id))) return "stale";
        for (const kek of keks) await tx.updateTable("keks").set(toRow(kek)).where("id", "=", kek.id).execute();
        await writeSeal(tx, record);
        return "replaced";
      }),
  };
}

/** The stored seal record, not yet parsed; null before the first start. */
export async function readSealRecord(database: { db: Db | Tx }): Promise<unknown> {
  const row = await database.db.selectFrom("seal").select("record").executeTakeFirst();
  return row?.record ?? null;
}

/** Takes a lock: until the transaction ends, no other process can create the first root key. */
export async function lockFirstSeal(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('strongroom.first-seal'))`.execute(tx);
}

/** Stores the first seal record. The caller holds the lock. */
export async function insertSealRecord(tx: Tx, record: SealRecord): Promise<void> {
  await tx
    .insertInto("seal")
    .values({ record: JSON.stringify(record) as never, root_key_id: record.rootKeyId })
    .execute();
}

async function writeSeal(tx: Tx, record: SealRecord): Promise<void> {
  await tx
    .updateTable("seal")
    .set({ record: JSON.stringify(record) as never, root_key_id: record.rootKeyId, changed_at: sql`now()` })
    .execute();
}
