// Database queries for access requests, their approval rounds and decisions.
import type { AccessRequest } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, Selectable, Updateable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { EndReason, RequestState } from "./access-requests.policy.ts";

type Fixed<T> = ColumnType<T, T, never>;
type Later<T> = ColumnType<T | null, T | null | undefined, T | null>;
type Defaulted<T> = ColumnType<T, T | undefined, T>;

export interface AccessRequestsTable {
  id: Fixed<string>;
  user_id: Fixed<string>;
  account_id: string | null;
  is_mapped: Defaulted<boolean>;
  resource: string;
  system: string | null;
  reason: string;
  ticket: string | null;
  duration_minutes: number;
  asked_start_at: Date | null;
  is_break_glass: Fixed<boolean>;
  risk_level: AccessRequest["riskLevel"];
  state: RequestState;
  starts_at: Later<Date>;
  ends_at: Later<Date>;
  ended_at: Later<Date>;
  ended_how: Later<EndReason>;
  ended_by: Later<string>;
  is_retrieved: Defaulted<boolean>;
  is_start_announced: Defaulted<boolean>;
  review_verdict: Later<"justified" | "not_justified">;
  review_comment: Later<string>;
  reviewed_by: Later<string>;
  reviewed_at: Later<Date>;
  created_at: Fixed<Date>;
}

export interface RoundsTable {
  request_id: Fixed<string>;
  round: Fixed<number>;
  minutes: number;
  level_1: number;
  level_2: number;
  state: "pending" | "approved" | "denied" | "withdrawn";
  asked_at: Fixed<Date>;
  decided_at: Later<Date>;
}

export interface DecisionsTable {
  request_id: string;
  round: number;
  user_id: string;
  level: number;
  decision: "approved" | "denied";
  comment: string | null;
  decided_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    access_requests: AccessRequestsTable;
    access_request_rounds: RoundsTable;
    access_request_decisions: DecisionsTable;
  }
}

export type RequestRow = Selectable<AccessRequestsTable>;

/** Returns false and changes nothing if the user already has an open request for this account. */
export async function insertRequest(tx: Tx, row: Insertable<AccessRequestsTable>): Promise<boolean> {
  const inserted = tx.insertInto("access_requests").values(row);
  const { numInsertedOrUpdatedRows } = await inserted.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export interface FreeTextRequest {
  is_same_pending: boolean;
  pending: number;
  within_a_day: number;
  oldest_within_a_day: Date;
}

/** The user's requests that name no account. Resources are compared without regard to case and spaces. */
export async function readFreeTextRequests(
  tx: Tx,
  requester: string,
  { resource, system }: { resource: string; system: string | null },
): Promise<FreeTextRequest> {
  const folded = (text: string | null) => (text ?? "").toLowerCase().replace(/\s+/g, " ").trim();
  const { rows } = await sql<FreeTextRequest>`
    with asked as (
      select state, created_at,
        btrim(regexp_replace(lower(resource), '\\s+', ' ', 'g')) as resource,
        btrim(regexp_replace(lower(coalesce(system, '')), '\\s+', ' ', 'g')) as system
      from access_requests
      where user_id = ${requester} and not is_mapped and account_id is null
        and (state = 'pending' or created_at > access_time() - interval '24 hours')
    )
    select count(*) filter (where state = 'pending')::integer as pending,
      count(*) filter (where created_at > access_time() - interval '24 hours')::integer as within_a_day,
      coalesce(min(created_at) filter (where created_at > access_time() - interval '24 hours'), access_time())
        as oldest_within_a_day,
      coalesce(bool_or(state = 'pending' and resource = ${folded(resource)} and system = ${folded(system)}), false)
        as is_same_pending
    from asked`.execute(tx);
  return rows[0]!;
}

export async function insertRound(tx: Tx, row: Insertable<RoundsTable>): Promise<void> {
  await tx.insertInto("access_request_rounds").values(row).execute();
}

export async function insertDecision(tx: Tx, row: Insertable<DecisionsTable>): Promise<void> {
  await tx.insertInto("access_request_decisions").values(row).execute();
}

export async function updateRequest(tx: Tx, id: string, changes: Updateable<AccessRequestsTable>): Promise<void> {
  await tx.updateTable("access_requests").set(changes).where("id", "=", id).execute();
}

export async function updateRound(tx: Tx, id: string, round: number, changes: Updateable<RoundsTable>): Promise<void> {
  await tx
    .updateTable("access_request_rounds")
    .set(changes)
    .where("request_id", "=", id)
    .where("round", "=", round)
    .execute();
}

/** The account of a request and the safe that contains the account now. Null if there is no such request. */
export async function locateRequest(
  db: Db,
  id: string,
): Promise<{ account_id: string | null; safe_id: string | null } | null> {
  const { rows } = await sql<{ account_id: string | null; safe_id: string | null }>`
    select request.account_id, credentials.safe_id
    from access_requests request left join credentials on credentials.id = request.account_id
    where request.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

export async function safeOfAccount(db: Db, accountId: string): Promise<string | null> {
  const { rows } = await sql<{ safe_id: string | null }>`
    select safe_id from credentials where id = ${accountId} and deleted_at is null`.execute(db);
  return rows[0]?.safe_id ?? null;
}

/**
 * Locks the caller's user row until the transaction ends, so that the caller cannot be disabled in the meantime. Every call in
 * this feature takes this lock first. With `alone`, the caller's own calls also run one after another. Returns false if the
 * caller is disabled.
 */
export async function lockUserRow(tx: Tx, id: string, strength: "beside others" | "alone"): Promise<boolean> {
  const { rows } = await sql<{ status: string }>`
    select status from users where id = ${id}
    for ${sql.raw(strength === "alone" ? "no key update" : "share")}`.execute(tx);
  return rows[0]?.status === "active";
}

/** Locks an account until the transaction ends, so that it cannot be changed, moved or deleted in the meantime. */
export async function lockAccountRow(tx: Tx, accountId: string): Promise<void> {
  await sql`select from credentials where id = ${accountId} for no key update`.execute(tx);
}

export async function lockRequestRow(tx: Tx, id: string): Promise<void> {
  await sql`select from access_requests where id = ${id} for update`.execute(tx);
}

/** Whether the user has another open request for this account. */
export async function hasOtherOpenRequest(db: Db, userId: string, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select from access_requests
    where user_id = ${userId} and account_id = ${accountId} and state in ('pending', 'granted') and not is_break_glass
    limit 1`.execute(db);
  return rows.length > 0;
}
