// Reads and writes the rows of the sealed token signing keys.
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface SigningKeyRow {
  id: string;
  sealed: Buffer;
  created_at: Date;
  retired_at: Date | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    sign_in_signing_keys: SigningKeyRow;
  }
}

export const findKeyInUse = (db: Db): Promise<SigningKeyRow | undefined> =>
  db.selectFrom("sign_in_signing_keys").selectAll().where("retired_at", "is", null).executeTakeFirst();

export const findKey = (db: Db, id: string): Promise<SigningKeyRow | undefined> =>
  db.selectFrom("sign_in_signing_keys").selectAll().where("id", "=", id).executeTakeFirst();

/** Inserts the active key unless another process did so first: at most one key is active. */
export async function insertKeyInUse(tx: Tx, row: Omit<SigningKeyRow, "retired_at">): Promise<void> {
  await tx
    .insertInto("sign_in_signing_keys")
    .values({ ...row, retired_at: null })
    .onConflict((conflict) =>
      conflict
        .expression(sql`(true)`)
        .where("retired_at", "is", null)
        .doNothing(),
    )
    .execute();
}

/** Returns false when another process has already retired the key. */
export async function retireKey(tx: Tx, id: string, at: Date): Promise<boolean> {
  const retired = tx.updateTable("sign_in_signing_keys").set({ retired_at: at });
  const result = await retired.where("id", "=", id).where("retired_at", "is", null).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function deleteKeysRetiredBefore(tx: Tx, moment: Date): Promise<void> {
  await tx.deleteFrom("sign_in_signing_keys").where("retired_at", "<", moment).execute();
}
