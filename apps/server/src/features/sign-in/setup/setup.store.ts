// Reads and writes the hash of the one-time setup token.
import type { Generated } from "kysely";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

declare module "#kernel/db/tables.ts" {
  interface Tables {
    sign_in_setup: { is_only: Generated<boolean>; token_hash: Buffer };
  }
}

export async function findSetupHash(db: Db): Promise<Buffer | null> {
  return (await db.selectFrom("sign_in_setup").select("token_hash").executeTakeFirst())?.token_hash ?? null;
}

/** Replaces any earlier token. */
export async function writeSetupHash(tx: Tx, hash: Buffer): Promise<void> {
  await tx
    .insertInto("sign_in_setup")
    .values({ token_hash: hash })
    .onConflict((conflict) => conflict.column("is_only").doUpdateSet({ token_hash: hash }))
    .execute();
}

export async function deleteSetupHash(tx: Tx): Promise<void> {
  await tx.deleteFrom("sign_in_setup").execute();
}

/** Takes a lock, so that concurrent registrations decide one at a time which user is the first. */
export async function lockSetup(tx: Tx): Promise<void> {
  await sql`lock table sign_in_setup in exclusive mode`.execute(tx);
}
