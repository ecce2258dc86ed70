// Exclusive check-outs in the database. A row is one in force; it counts for nothing once its end has passed.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface CheckOutsTable {
  account_id: string;
  user_id: string;
  request_id: string | null;
  since: Date;
  until: Date;
  is_retrieved: boolean;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    account_check_outs: CheckOutsTable;
  }
}

export interface HeldCheckOut extends CheckOutsTable {
  name: string;
  is_over: boolean;
}

/** When a check-out in `held` ends: with the grant that it belongs to, which may have been prolonged. */
export const heldUntil: RawBuilder<Date> = sql<Date>`coalesce(
  (select lent.ends_at from access_requests lent where lent.id = held.request_id and lent.state = 'granted'), held.until)`;

/** Whoever has it, or had it last; null when nobody does. Holds the row until the transaction ends. */
export async function holdCheckOut(tx: Tx, accountId: string): Promise<HeldCheckOut | null> {
  return (await holdCheckOuts(tx, [accountId]))[0] ?? null;
}

/** The same of several accounts; one that nobody had is left out. */
export async function holdCheckOuts(tx: Tx, accountIds: readonly string[]): Promise<HeldCheckOut[]> {
  const { rows } = await sql<HeldCheckOut>`
    select held.account_id, held.user_id, held.request_id, held.since, held.is_retrieved, users.name,
      ${heldUntil} as until, ${heldUntil} <= access_time() as is_over
    from account_check_outs held join users on users.id = held.user_id
    where account_id = any(${[...accountIds]}::uuid[]) order by account_id for update of held`.execute(tx);
  return rows;
}

export interface NewCheckOut {
  accountId: string;
  userId: string;
  grant: { id: string; endsAt: Date } | null;
  /** Without a grant. */
  minutes: number;
}

/**
 * INVARIANT: one person at a time has an account out. One statement decides, whoever asks at the same moment. False when
 * somebody else has it.
 */
export async function takeOut(tx: Tx, { accountId, userId, grant, minutes }: NewCheckOut): Promise<boolean> {
  const { rows } = await sql`
    insert into account_check_outs as held (account_id, user_id, request_id, since, until, is_retrieved)
    values (${accountId}, ${userId}, ${grant?.id ?? null}, access_time(),
      coalesce(${grant?.endsAt ?? null}::timestamptz, access_time() + make_interval(mins => ${minutes})), true)
    on conflict (account_id) do update set
      user_id = excluded.user_id, is_retrieved = true,
      request_id = case when ${heldUntil} <= access_time() then excluded.request_id else held.request_id end,
      since = case when ${heldUntil} <= access_time() then excluded.since else held.since end,
      until = case when ${heldUntil} <= access_time() then excluded.until else held.until end
    where ${heldUntil} <= access_time() or held.user_id = excluded.user_id
    returning account_id`.execute(tx);
  return rows.length > 0;
}

export async function dropCheckOut(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom("account_check_outs").where("account_id", "=", accountId).execute();
}

/** Ends the check-out that belongs to this request; false when there is none. */
export async function dropCheckOutOf(tx: Tx, requestId: string): Promise<boolean> {
  const deletion = tx.deleteFrom("account_check_outs").where("request_id", "=", requestId);
  return (await deletion.executeTakeFirst()).numDeletedRows > 0n;
}

/** Accounts whose check-out has run out, some of them. */
export async function findOver(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    select account_id from account_check_outs held
    where until <= access_time() and ${heldUntil} <= access_time() order by until limit ${limit}`.execute(db);
  return rows.map((row) => row.account_id);
}
