// Access requests as people see them: filtered in SQL by what the reader may see, with everything that a card shows.
import { seesAddresses } from "#features/users/index.ts";
import { everyWord } from "#kernel/db/containing.ts";
import type { AccessRequest } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { bitOf, standingsOf } from "#features/safes/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import type { RequestRow } from "./access-requests.store.ts";

export type Who = Pick<Actor, "id" | "role">;

interface ShownRound {
  round: number;
  minutes: number;
  level_1: number;
  level_2: number;
  state: "pending" | "approved" | "denied" | "withdrawn";
}

interface ShownDecision {
  round: number;
  user_id: string;
  approver: string;
  level: number;
  decision: "approved" | "denied";
  comment: string | null;
  at: string;
}

export interface ShownRequest extends RequestRow {
  username: string;
  user_email: string;
  account_name: string | null;
  safe_id: string | null;
  is_lendable: boolean;
  most_minutes: number | null;
  ended_by_name: string | null;
  reviewer: string | null;
  rounds: ShownRound[];
  decisions: ShownDecision[];
  now: Date;
}

export type Tab = "pending" | "active" | "history";
export const TABS: readonly Tab[] = ["pending", "active", "history"];

/** JIT-24 to JIT-26: the same as `statusOf`, in SQL. A grant leaves the active ones when its time is over. */
const IN_TAB: Record<Tab, RawBuilder<unknown>> = {
  pending: sql`request.state = 'pending'`,
  active: sql`(request.state = 'granted' and request.ends_at > access_time())`,
  history: sql`(request.state in ('denied', 'ended') or (request.state = 'granted' and request.ends_at <= access_time()))`,
};

const OVERSEEING = sql.lit(bitOf("approve_level_1") | bitOf("approve_level_2") | bitOf("view_audit"));

/**
 * INVARIANT: one's own, and those for accounts of safes where one approves or views the audit; administrators see all, those
 * that name no account yet among them.
 */
const visibleTo = (viewer: Who): RawBuilder<unknown> =>
  viewer.role === "admin"
    ? sql`true`
    : sql`(request.user_id = ${viewer.id} or (
        select credentials.safe_id from credentials where credentials.id = request.account_id
      ) in (select safe_id from ${standingsOf(viewer)} standing where permissions & ${OVERSEEING} <> 0))`;

/**
 * For other features: a query for the requests on accounts that this person may see, with `account_id`, `user_id`, `resource`,
 * `reason`, `starts_at`, `ended_at` (null: it has not), `ends_at` and `is_in_force`.
 */
export const requestsSeenBy = (viewer: Who): RawBuilder<unknown> => sql`(
    select request.id, request.account_id, request.user_id, request.resource, request.reason, request.starts_at,
      request.ended_at, request.ends_at,
      request.state = 'granted' and request.starts_at <= access_time() and request.ends_at > access_time() as is_in_force
    from access_requests request where request.account_id is not null and ${visibleTo(viewer)})`;

const ISO = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

const shown = (page: RawBuilder<unknown>): RawBuilder<ShownRequest> => sql<ShownRequest>`
  select request.*, person.name as username, person.email as user_email, credentials.name as account_name,
    credentials.safe_id, platforms.max_duration_minutes as most_minutes,
    coalesce(credentials.deleted_at is null and accounts.status = 'active' and safes.status = 'active', false) as is_lendable,
    ender.name as ended_by_name, reviewer.name as reviewer, access_time() as now,
    (select coalesce(jsonb_agg(jsonb_build_object('round', round, 'minutes', minutes, 'level_1', level_1, 'level_2', level_2,
       'state', state) order by round), '[]')
     from access_request_rounds where request_id = request.id) as rounds,
    (select coalesce(jsonb_agg(jsonb_build_object('round', made.round, 'user_id', made.user_id, 'approver', approver.name,
       'level', made.level, 'decision', made.decision, 'comment', made.comment,
       'at', to_char(made.decided_at at time zone 'UTC', ${ISO})) order by made.decided_at, approver.name), '[]')
     from access_request_decisions made join users approver on approver.id = made.user_id
     where made.request_id = request.id) as decisions
  from (${page}) request
  join users person on person.id = request.user_id
  left join credentials on credentials.id = request.account_id
  left join accounts on accounts.id = request.account_id
  left join platforms on platforms.id = accounts.platform_id
  left join safes on safes.id = credentials.safe_id
  left join users ender on ender.id = request.ended_by
  left join users reviewer on reviewer.id = request.reviewed_by
  order by request.created_at desc, request.id desc`;

/** Among so many of the newest of everybody, of one's own, and of those that wait: what a search looks through. */
const RECENT = 1_000;

/** Newest first. Those that wait, one's own, and the newest: an old one is found in the list, by its account. */
export async function searchRequests(db: Db, viewer: Who, text: string, limit: number): Promise<ShownRequest[]> {
  const newest = (condition: RawBuilder<unknown>) => sql`
    (select id from access_requests where ${condition} order by created_at desc limit ${sql.lit(RECENT)})`;
  const recent = sql`${newest(sql`true`)} union ${newest(sql`user_id = ${viewer.id}`)} union ${newest(sql`state = 'pending'`)}`;
  const page = sql`
    select request.* from access_requests request
    where request.id in (${recent}) and ${matching(text, viewer)} and ${visibleTo(viewer)}
    order by request.created_at desc, request.id desc limit ${limit}`;
  return (await shown(page).execute(db)).rows;
}

/** Those of these that this person may see. */
export async function readSeen(db: Db, viewer: Who, ids: readonly string[]): Promise<ShownRequest[]> {
  const page = sql`
    select request.* from access_requests request where request.id = any(${[...ids]}::uuid[]) and ${visibleTo(viewer)}`;
  return (await shown(page).execute(db)).rows;
}

/** People who see no addresses of others still find their own requests by their address. */
const matching = (search: string, viewer: Who): RawBuilder<unknown> =>
  everyWord(
    search,
    (pattern) => sql`(
    request.resource ilike ${pattern} or request.system ilike ${pattern} or request.reason ilike ${pattern}
    or request.ticket ilike ${pattern}
    or exists (
      select from users where id = request.user_id
        and (name ilike ${pattern} or ((${seesAddresses(viewer)} or id = ${viewer.id}) and email ilike ${pattern})))
    or exists (select from credentials where id = request.account_id and name ilike ${pattern}))`,
  );

export interface RequestWish {
  tab: Tab | null;
  search: string | null;
  limit: number;
  after: TimePlace | null;
}

/** Newest first; one row more than asked for, if there is one. */
export async function listRequests(db: Db, viewer: Who, { tab, search, limit, after }: RequestWish) {
  const conditions = [
    visibleTo(viewer),
    ...(tab === null ? [] : [IN_TAB[tab]]),
    ...(search === null ? [] : [matching(search, viewer)]),
    ...(after === null ? [] : [sql`(request.created_at, request.id) < (${after.at}, ${after.id}::uuid)`]),
  ];
  const page = sql`
    select request.* from access_requests request where ${sql.join(conditions, sql` and `)}
    order by request.created_at desc, request.id desc limit ${limit + 1}`;
  return (await shown(page).execute(db)).rows;
}

/** Null when there is none that this person may see. */
export async function readRequest(db: Db, viewer: Who, id: string): Promise<ShownRequest | null> {
  const page = sql`select request.* from access_requests request where request.id = ${id} and ${visibleTo(viewer)}`;
  return (await shown(page).execute(db)).rows[0] ?? null;
}

/** Whoever sees them. */
export async function readRequests(db: Db, ids: readonly string[]): Promise<ShownRequest[]> {
  const page = sql`select request.* from access_requests request where request.id = any(${ids}::uuid[])`;
  return (await shown(page).execute(db)).rows;
}

/** Over everything that this person may see. */
export async function countTabs(db: Db, viewer: Who): Promise<Record<Tab, number>> {
  const counts = TABS.map((tab) => sql`(count(*) filter (where ${IN_TAB[tab]}))::integer as ${sql.id(tab)}`);
  const { rows } = await sql<Record<Tab, number>>`
    select ${sql.join(counts)} from access_requests request where ${visibleTo(viewer)}`.execute(db);
  return rows[0]!;
}

export interface Statistics {
  total: number;
  active: number;
  expiring_soon: number;
  expired: number;
}

/** JIT-18, as `statusOf` says: over all requests, or over one person's. */
export async function readStatistics(db: Db, userId: string | null): Promise<Statistics> {
  const notice = sql`least(interval '15 minutes', (ends_at - starts_at) / 10)`;
  const { rows } = await sql<Statistics>`
    select count(*)::integer as total,
      (count(*) filter (where is_active))::integer as active,
      (count(*) filter (where is_active and ends_at - access_time() <= ${notice}))::integer as expiring_soon,
      (count(*) filter (where (state = 'granted' and ends_at <= access_time())
        or (state = 'ended' and ended_how = 'expired')))::integer as expired
    from (
      select *, state = 'granted' and starts_at <= access_time() and ends_at > access_time() as is_active
      from access_requests where ${userId === null ? sql`true` : sql`user_id = ${userId}`}
    ) request`.execute(db);
  return rows[0]!;
}

/** The active administrators: who decides what a request in free text means. */
export async function readAdmins(db: Db): Promise<string[]> {
  const { rows } = await sql<{
    id: string;
  }>`select id from users where role = 'admin' and kind = 'person' and status = 'active'`.execute(db);
  return rows.map((row) => row.id);
}

export type ReviewVerdict = NonNullable<AccessRequest["review"]>["verdict"];
