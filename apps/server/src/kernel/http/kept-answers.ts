// Requests with an Idempotency-Key in the database: who carries each out, and what was answered.
import { sql } from "kysely";
import type { ColumnType, Generated } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { newId } from "../id.ts";
import type { RepeatKey } from "./idempotency.ts";

declare module "../db/tables.ts" {
  interface Tables {
    idempotency_keys: {
      user_id: string;
      key: string;
      fingerprint: string;
      claim: string;
      is_done: Generated<boolean>;
      reply: ColumnType<string | null, string | null | undefined, string | null>;
      created_at: DefaultedTime;
    };
  }
}

type Name = Pick<RepeatKey, "owner" | "key">;

/** For this long a repeat gets the first answer. */
const KEPT = sql`interval '24 hours'`;
/** Longer than any call takes. Whoever is at it after that has died, or will find that it comes too late. */
const LEASE = sql`interval '2 minutes'`;

/** The id of the claim; null when somebody else has carried the request out, or is at it. */
export async function claimKey(tx: Tx, { owner, key }: Name, fingerprint: string): Promise<string | null> {
  const { rows } = await sql<{ claim: string }>`
    insert into idempotency_keys as kept (user_id, key, fingerprint, claim)
    values (${owner}, ${key}, ${fingerprint}, ${newId()})
    on conflict (user_id, key) do update
    set claim = excluded.claim, fingerprint = excluded.fingerprint, is_done = false, reply = null,
      created_at = excluded.created_at
    where kept.created_at < clock_timestamp() - ${KEPT}
      or (not kept.is_done and kept.fingerprint = excluded.fingerprint
        and kept.created_at < clock_timestamp() - ${LEASE})
    returning claim`.execute(tx);
  return rows[0]?.claim ?? null;
}

export async function readKept(db: Db, { owner, key }: Name) {
  const query = db.selectFrom("idempotency_keys").select(["fingerprint", "is_done", "reply"]);
  return (await query.where("user_id", "=", owner).where("key", "=", key).executeTakeFirst()) ?? null;
}

/** False when another claim has taken the place of this one, or this one is done already. */
export async function keepAnswer(tx: Tx, claim: string, reply: string | null): Promise<boolean> {
  const query = tx.updateTable("idempotency_keys").set({ is_done: true, reply }).where("claim", "=", claim);
  return (await query.where("is_done", "=", false).executeTakeFirst()).numUpdatedRows === 1n;
}

/** Of a request that is done, and whose answer was not known within its transaction. */
export async function fillAnswer(tx: Tx, claim: string, reply: string): Promise<void> {
  const query = tx.updateTable("idempotency_keys").set({ reply }).where("claim", "=", claim);
  await query.where("is_done", "=", true).execute();
}

/** Of a request that had no effect. */
export async function releaseKey(tx: Tx, claim: string): Promise<void> {
  await tx.deleteFrom("idempotency_keys").where("claim", "=", claim).where("is_done", "=", false).execute();
}

/** Of a person who is deleted. */
export async function forgetAnswersOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("idempotency_keys").where("user_id", "=", userId).execute();
}

export async function forgetAnswers(tx: Tx): Promise<void> {
  await sql`delete from idempotency_keys where created_at < clock_timestamp() - ${KEPT}`.execute(tx);
}
