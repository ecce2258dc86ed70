// Idempotency keys in the database: claims and stored answers.
import { sql } from "kysely";
import type { ColumnType, Generated } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { newId } from "../id.ts";
import type { UserId } from "@strongroom/contract";

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

/** Identifies a repeated request. */
export interface RepeatKey {
  owner: UserId;
  key: string;
  /** The method, address and body as sent. The request may contain a secret, so only its fingerprint is stored. */
  request: string;
}

type Name = Pick<RepeatKey, "owner" | "key">;

/** How long stored answers are kept. */
const KEPT = sql`interval '24 hours'`;
/** Longer than any call takes. After this time, the claimant is dead or will find that it lost its claim. */
const LEASE = sql`interval '2 minutes'`;

/** Returns the id of the claim, or null if another request with this key has run or is running. */
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

/**
 * `free_in` is the number of seconds until the request may be run again if nothing finishes it; `age` is the number of seconds
 * since it began.
 */
export async function readKept(db: Db, { owner, key }: Name) {
  const query = db
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "is_done", "reply"])
    .select(sql<number>`ceil(extract(epoch from created_at + ${LEASE} - clock_timestamp()))::integer`.as("free_in"))
    .select(sql<number>`floor(extract(epoch from clock_timestamp() - created_at))::integer`.as("age"));
  return (await query.where("user_id", "=", owner).where("key", "=", key).executeTakeFirst()) ?? null;
}

/** Returns false if another claim replaced this one, or if this one is done. */
export async function keepAnswer(tx: Tx, claim: string, reply: string | null): Promise<boolean> {
  const query = tx.updateTable("idempotency_keys").set({ is_done: true, reply }).where("claim", "=", claim);
  return (await query.where("is_done", "=", false).executeTakeFirst()).numUpdatedRows === 1n;
}

/** Stores the response of a finished request whose response was not yet known in its transaction. */
export async function fillAnswer(tx: Tx, claim: string, reply: string): Promise<void> {
  const query = tx.updateTable("idempotency_keys").set({ reply }).where("claim", "=", claim);
  await query.where("is_done", "=", true).execute();
}

/** Deletes the claim of a request that had no effect. */
export async function releaseKey(tx: Tx, claim: string): Promise<void> {
  await tx.deleteFrom("idempotency_keys").where("claim", "=", claim).where("is_done", "=", false).execute();
}

/** Deletes the answers of a deleted user. */
export async function forgetAnswersOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("idempotency_keys").where("user_id", "=", userId).execute();
}

export async function forgetAnswers(tx: Tx): Promise<void> {
  await sql`delete from idempotency_keys where created_at < clock_timestamp() - ${KEPT}`.execute(tx);
}
