// Finds and locks requests that end: accounts first, then requests, each in the order of their ids.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { EndReason, RequestState } from "../access-requests.policy.ts";

export interface EndingRow {
  id: string;
  account_id: string | null;
  user_id: string;
  state: RequestState;
  is_retrieved: boolean;
}

const OPEN = sql`request.state in ('pending', 'granted')`;
const DUE = sql`request.state = 'granted' and request.ends_at <= access_time()`;

const held = (condition: RawBuilder<unknown>, how: RawBuilder<unknown>): RawBuilder<EndingRow> => sql<EndingRow>`
  select request.id, request.account_id, request.user_id, request.state, request.is_retrieved
  from access_requests request where ${condition} order by request.id for update of request ${how}`;

/** Locks the open requests among these ids. */
export async function lockOpen(tx: Tx, ids: readonly string[]): Promise<EndingRow[]> {
  return (await held(sql`request.id = any(${ids}::uuid[]) and ${OPEN}`, sql``).execute(tx)).rows;
}

export type LostAccess =
  | { accountIds: readonly string[] }
  | { userId: string }
  | { safeId: string; userIds: readonly string[] }
  | { closedSafeId: string };

/**
 * Locks all open requests for some accounts, of a user, or of users who lost access to a safe. For a closed safe, locks only its
 * grants.
 */
export async function lockOpenFor(tx: Tx, lost: LostAccess): Promise<EndingRow[]> {
  const condition = sql`${OPEN} and ${conditionOf(lost)}`;
  await sql`
    select from credentials where id in (
      select request.account_id from access_requests request where ${condition}
    ) order by id for no key update`.execute(tx);
  return (await held(condition, sql``).execute(tx)).rows;
}

function conditionOf(lost: LostAccess): RawBuilder<unknown> {
  if ("accountIds" in lost) return sql`request.account_id = any(${[...lost.accountIds]}::uuid[])`;
  if ("userId" in lost) return sql`request.user_id = ${lost.userId}`;
  if ("closedSafeId" in lost) {
    return sql`request.state = 'granted'
      and request.account_id in (select id from credentials where safe_id = ${lost.closedSafeId})`;
  }
  return sql`request.user_id = any(${lost.userIds}::uuid[]) and not request.is_mapped
    and request.account_id in (select id from credentials where safe_id = ${lost.safeId})`;
}

/** How long a sweep waits for a lock before it tries again later. */
const PATIENCE = sql.lit("2s");

/**
 * Locks requests whose end has passed. With `free`, skips rows that are locked. With `all`, waits for them, even while a caller
 * retrieves the same secret continuously; throws if the wait is too long.
 */
export async function lockDue(tx: Tx, ids: readonly string[], which: "free" | "all"): Promise<EndingRow[]> {
  return holdGrants(tx, ids, DUE, which);
}

/** Locks granted requests whose owners can no longer see the safe. */
export async function lockGranted(tx: Tx, ids: readonly string[]): Promise<EndingRow[]> {
  return holdGrants(tx, ids, sql`request.state = 'granted'`, "free");
}

async function holdGrants(tx: Tx, ids: readonly string[], condition: RawBuilder<unknown>, which: "free" | "all") {
  if (which === "all") await sql`set local lock_timeout = ${PATIENCE}`.execute(tx);
  const how = which === "all" ? sql`` : sql`skip locked`;
  const { rows } = await sql<{ id: string }>`
    select id from credentials where id in (select account_id from access_requests where id = any(${ids}::uuid[]))
    order by id for no key update ${how}`.execute(tx);
  const accounts = rows.map((row) => row.id);
  const granted = sql`request.id = any(${ids}::uuid[]) and request.account_id = any(${accounts}::uuid[]) and ${condition}`;
  return (await held(granted, how).execute(tx)).rows;
}

/** INVARIANT: an ended request is never changed again, whatever the clock says later. */
export async function markEnded(tx: Tx, ids: readonly string[], how: EndReason, by: string | null): Promise<void> {
  await sql`
    update access_requests set state = 'ended', ended_at = access_time(), ended_how = ${how}, ended_by = ${by}
    where id = any(${ids}::uuid[]) and state in ('pending', 'granted')`.execute(tx);
  await sql`
    update access_request_rounds set state = 'withdrawn', decided_at = access_time()
    where request_id = any(${ids}::uuid[]) and state = 'pending'`.execute(tx);
}

export interface DueGrants {
  ended: string[];
  started: string[];
  /** Milliseconds until the next start or end; null when neither is known. */
  next: number | null;
}

const AT_ONCE = 200;

/** Finds the grants that start or end now, and the time of the next change, with three index lookups. */
export async function findDue(db: Db): Promise<DueGrants> {
  const first = (condition: RawBuilder<unknown>, by: string) => sql`
    (select coalesce(array_agg(id), '{}') from (
      select request.id from access_requests request where ${condition} order by ${sql.ref(by)} limit ${AT_ONCE}) found)`;
  const { rows } = await sql<DueGrants>`
    select ${first(DUE, "ends_at")} as ended,
      ${first(
        sql`request.state = 'granted' and not request.is_start_announced and request.starts_at <= access_time()
        and request.ends_at > access_time()`,
        "starts_at",
      )} as started,
      (extract(epoch from least(
        (select min(ends_at) from access_requests where state = 'granted' and ends_at > access_time()),
        (select min(starts_at) from access_requests
         where state = 'granted' and not is_start_announced and starts_at > access_time())
      ) - access_time()) * 1000)::float8 as next`.execute(db);
  return rows[0]!;
}

/** Records that these grants have started. Returns those that no other process had recorded. */
export async function recordStarts(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update access_requests set is_start_announced = true
    where id in (
      select id from access_requests
      where id = any(${ids}::uuid[]) and state = 'granted' and not is_start_announced and starts_at <= access_time()
      for update skip locked)
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

export const NON_MEMBER_BATCH = 200;

export interface NonMemberGrant {
  id: string;
  user_id: string;
  role: "user" | "manager" | "admin";
  safe_id: string;
}

/**
 * Grants whose owners are not members of the safe: they see the safe for a different reason, or their membership
 * expired. Returns one batch in id order after the given id; a batch smaller than `NON_MEMBER_BATCH` is the last.
 */
export async function findNonMemberGrants(db: Db, after: string | null): Promise<NonMemberGrant[]> {
  const { rows } = await sql<NonMemberGrant>`
    select request.id, request.user_id, person.role, credentials.safe_id
    from access_requests request
    join users person on person.id = request.user_id and person.role <> 'admin'
    join credentials on credentials.id = request.account_id
    where request.state = 'granted' and not request.is_mapped
      and (${after}::uuid is null or request.id > ${after}::uuid) and not exists (
      select from safe_members member
      left join group_members theirs on theirs.group_id = member.group_id and theirs.user_id = request.user_id
      where member.safe_id = credentials.safe_id and coalesce(member.user_id, theirs.user_id) = request.user_id
        and (member.expires_at is null or member.expires_at > access_time()))
    order by request.id limit ${NON_MEMBER_BATCH}`.execute(db);
  return rows;
}
