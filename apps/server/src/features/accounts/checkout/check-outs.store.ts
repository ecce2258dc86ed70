// Exclusive check-outs in the database. The row of a check-out is active until its end has passed.
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

export interface LockedCheckOut extends CheckOutsTable {
  name: string;
  is_over: boolean;
}

/** The end of the check-out in `held`. If it has a grant, the grant's end counts, because the grant may have been extended. */
export const checkedOutUntil: RawBuilder<Date> = sql<Date>`coalesce(
  (select active_grant.ends_at from access_requests active_grant where active_grant.id = held.request_id and active_grant.state = 'granted'), held.until)`;

/**
 * SQL condition on `accounts`: a check-out or grant with which the secret was retrieved has ended, and no job has processed that
 * end yet.
 */
export const isUseOver: RawBuilder<boolean> = sql<boolean>`(
  exists (
    select from account_check_outs held
    where held.account_id = accounts.id and held.is_retrieved and ${checkedOutUntil} <= access_time())
  or exists (
    select from access_requests over
    where over.account_id = accounts.id and over.state = 'granted' and over.is_retrieved and over.ends_at <= access_time()))`;

/** SQL condition on `accounts`: a user has the account checked out now. */
export const isCheckedOut: RawBuilder<boolean> = sql<boolean>`exists (
  select from account_check_outs held where held.account_id = accounts.id and ${checkedOutUntil} > access_time())`;

/** SQL condition on `accounts`: a user has the secret now, through a check-out or a grant with which they retrieved it. */
export const isInUse: RawBuilder<boolean> = sql<boolean>`(
  ${isCheckedOut} or exists (
    select from access_requests current
    where current.account_id = accounts.id and current.state = 'granted' and current.is_retrieved
      and current.starts_at <= access_time() and current.ends_at > access_time()))`;

/** Locks and returns the current or last check-out until the transaction ends; null if the account was never checked out. */
export async function lockCheckOut(tx: Tx, accountId: string): Promise<LockedCheckOut | null> {
  return (await lockCheckOuts(tx, [accountId]))[0] ?? null;
}

/** Like `lockCheckOut`, for several accounts; those without a check-out are left out. */
export async function lockCheckOuts(tx: Tx, accountIds: readonly string[]): Promise<LockedCheckOut[]> {
  const { rows } = await sql<LockedCheckOut>`
    select held.account_id, held.user_id, held.request_id, held.since, held.is_retrieved, users.name,
      ${checkedOutUntil} as until, ${checkedOutUntil} <= access_time() as is_over
    from account_check_outs held join users on users.id = held.user_id
    where account_id = any(${[...accountIds]}::uuid[]) order by account_id for update of held`.execute(tx);
  return rows;
}

export interface NewCheckOut {
  accountId: string;
  userId: string;
  grant: { id: string; endsAt: Date } | null;
  /** The duration of a check-out that does not depend on a grant. */
  minutes: number;
}

/**
 * INVARIANT: only one user at a time has an account checked out. A single statement decides between concurrent attempts. Returns
 * false when another user has the account checked out.
 */
export async function insertCheckOut(tx: Tx, { accountId, userId, grant, minutes }: NewCheckOut): Promise<boolean> {
  const { rows } = await sql`
    insert into account_check_outs as held (account_id, user_id, request_id, since, until, is_retrieved)
    values (${accountId}, ${userId}, ${grant?.id ?? null}, access_time(),
      coalesce(${grant?.endsAt ?? null}::timestamptz, access_time() + make_interval(mins => ${minutes})), true)
    on conflict (account_id) do update set
      user_id = excluded.user_id, is_retrieved = true,
      request_id = case when ${checkedOutUntil} <= access_time() then excluded.request_id else held.request_id end,
      since = case when ${checkedOutUntil} <= access_time() then excluded.since else held.since end,
      until = case when ${checkedOutUntil} <= access_time() then excluded.until else held.until end
    where ${checkedOutUntil} <= access_time() or held.user_id = excluded.user_id
    returning account_id`.execute(tx);
  return rows.length > 0;
}

export async function deleteCheckOut(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom("account_check_outs").where("account_id", "=", accountId).execute();
}

/** Ends the check-out of this access request. Returns false if the request has no check-out. */
export async function deleteCheckOutOf(tx: Tx, requestId: string): Promise<boolean> {
  const deletion = tx.deleteFrom("account_check_outs").where("request_id", "=", requestId);
  return (await deletion.executeTakeFirst()).numDeletedRows > 0n;
}

/** Returns at most `limit` accounts whose check-out has expired. */
export async function findExpired(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    select account_id from account_check_outs held
    where until <= access_time() and ${checkedOutUntil} <= access_time() order by until limit ${limit}`.execute(db);
  return rows.map((row) => row.account_id);
}
