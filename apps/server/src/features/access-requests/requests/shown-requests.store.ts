// Reads access requests for display, filtered in SQL by what the viewer may see, with all fields of a request card.
import { seesAddresses } from "#features/users/index.ts";
import { everyWord } from "#kernel/db/containing.ts";
import type { AccessRequest, RequestSort } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { isAfter, orderTerms } from "#kernel/db/list-order.ts";
import type { Place } from "#kernel/db/list-order.ts";
import { isInForce } from "../grants/active-grants.ts";
import type { RequestRow } from "../access-requests.store.ts";
import { orderOf } from "./request-order.ts";

export type Viewer = Pick<Actor, "id" | "role">;

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
  /** The account's system, while the request is open. */
  account_system: string | null;
  safe_id: string | null;
  is_lendable: boolean;
  /** Sessions exist for the account's connection method. */
  is_connectable: boolean;
  most_minutes: number | null;
  ended_by_name: string | null;
  reviewer: string | null;
  rounds: ShownRound[];
  decisions: ShownDecision[];
  now: Date;
}

export type Tab = "pending" | "active" | "history";
export const TABS: readonly Tab[] = ["pending", "active", "history"];

/**
 * JIT-24 to JIT-26: the same rules as `statusOf`, in SQL. A grant leaves the active tab when it expires. A grant whose
 * extension waits for approval is both pending and active.
 */
const IN_TAB: Record<Tab, RawBuilder<unknown>> = {
  pending: sql`(request.state = 'pending' or (request.state = 'granted' and request.ends_at > access_time() and exists (
    select from access_request_rounds round where round.request_id = request.id and round.state = 'pending')))`,
  active: sql`(request.state = 'granted' and request.ends_at > access_time())`,
  history: sql`(request.state in ('denied', 'ended') or (request.state = 'granted' and request.ends_at <= access_time()))`,
};

const OVERSEEING = sql.lit(bitOf("approve_level_1") | bitOf("approve_level_2") | bitOf("view_audit"));

/**
 * INVARIANT: users see their own requests and those for accounts of safes where they approve or view the audit;
 * administrators see all requests, including those that name no account yet.
 */
const visibleTo = (viewer: Viewer): RawBuilder<unknown> =>
  viewer.role === "admin"
    ? sql`true`
    : sql`(request.user_id = ${viewer.id} or (
        select credentials.safe_id from credentials where credentials.id = request.account_id
      ) in (select safe_id from ${effectivePermissionsOf(viewer)} standing where permissions & ${OVERSEEING} <> 0))`;

/**
 * For other features: a query for the requests for accounts that this user may see, with `account_id`, `user_id`, `resource`,
 * `reason`, `starts_at`, `ended_at` (null if not ended), `ends_at` and `is_in_force`.
 */
export const requestsSeenBy = (viewer: Viewer): RawBuilder<unknown> => sql`(
    select request.id, request.account_id, request.user_id, request.resource, request.reason, request.starts_at,
      request.ended_at, request.ends_at,
      ${isInForce(sql`request`)} as is_in_force
    from access_requests request where request.account_id is not null and ${visibleTo(viewer)})`;

const ISO = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

const shown = (
  page: RawBuilder<unknown>,
  order: RawBuilder<unknown> = sql`request.created_at desc, request.id desc`,
): RawBuilder<ShownRequest> => sql<ShownRequest>`
  select request.*, person.name as username, person.email as user_email, credentials.name as account_name,
    case when credentials.deleted_at is null and request.state in ('pending', 'granted')
      then nullif(concat_ws(' · ', credentials.host, platforms.name), '') end as account_system,
    credentials.safe_id, platforms.max_duration_minutes as most_minutes,
    coalesce(credentials.deleted_at is null and accounts.status = 'active' and safes.status = 'active', false) as is_lendable,
    coalesce(accounts.connection_method = 'SSH', false) as is_connectable,
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
  order by ${order}`;

/** A search reads this many of the newest requests of all users, of the viewer's own requests, and of the pending requests. */
const RECENT = 1_000;

/**
 * Returns matches, newest first. Searches only pending requests, the viewer's own and the newest; the list of requests finds
 * older ones by their account.
 */
export async function searchRequests(db: Db, viewer: Viewer, text: string, limit: number): Promise<ShownRequest[]> {
  const newest = (condition: RawBuilder<unknown>) => sql`
    (select id from access_requests where ${condition} order by created_at desc limit ${sql.lit(RECENT)})`;
  const recent = sql`${newest(sql`true`)} union ${newest(sql`user_id = ${viewer.id}`)} union ${newest(sql`state = 'pending'`)}`;
  const page = sql`
    select request.* from access_requests request
    where request.id in (${recent}) and ${matching(text, viewer)} and ${visibleTo(viewer)}
    order by request.created_at desc, request.id desc limit ${limit}`;
  return (await shown(page).execute(db)).rows;
}

/** Reads the given requests and leaves out those that the user may not see. */
export async function readVisible(db: Db, viewer: Viewer, ids: readonly string[]): Promise<ShownRequest[]> {
  const page = sql`
    select request.* from access_requests request where request.id = any(${[...ids]}::uuid[]) and ${visibleTo(viewer)}`;
  return (await shown(page).execute(db)).rows;
}

/** Users who may not see other users' addresses can still find their own requests by address. */
const matching = (search: string, viewer: Viewer): RawBuilder<unknown> =>
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

export interface RequestQuery {
  tab: Tab | null;
  search: string | null;
  isOwn: boolean;
  userId: string | null;
  accountId: string | null;
  limit: number;
  sort: RequestSort | undefined;
  after: Place | null;
}

/** Requests in this order, each with its key. Returns one row more than `limit` when there is a next page. */
export async function listRequests(db: Db, viewer: Viewer, query: RequestQuery): Promise<(ShownRequest & Place)[]> {
  const { tab, search, isOwn, userId, accountId, limit, after } = query;
  const order = orderOf(query.sort);
  const id = sql`request.id`;
  const conditions = [
    visibleTo(viewer),
    ...(isOwn ? [sql`request.user_id = ${viewer.id}`] : []),
    ...(userId === null ? [] : [sql`request.user_id = ${userId}`]),
    ...(accountId === null ? [] : [sql`request.account_id = ${accountId}`]),
    ...(tab === null ? [] : [IN_TAB[tab]]),
    ...(search === null ? [] : [matching(search, viewer)]),
    isAfter(order, after, id),
  ];
  const page = sql`
    select request.*, ${order.key} as key from access_requests request where ${sql.join(conditions, sql` and `)}
    order by ${orderTerms(order, id)} limit ${limit + 1}`;
  const { rows } = await shown(page, orderTerms({ ...order, key: sql`request.key` }, id)).execute(db);
  return rows as (ShownRequest & Place)[];
}

/** Null if there is no such request or the user may not see it. */
export async function readRequest(db: Db, viewer: Viewer, id: string): Promise<ShownRequest | null> {
  const page = sql`select request.* from access_requests request where request.id = ${id} and ${visibleTo(viewer)}`;
  return (await shown(page).execute(db)).rows[0] ?? null;
}

/** Reads requests without a visibility filter. */
export async function readRequests(db: Db, ids: readonly string[]): Promise<ShownRequest[]> {
  const page = sql`select request.* from access_requests request where request.id = any(${ids}::uuid[])`;
  return (await shown(page).execute(db)).rows;
}

/** Counts all requests that this user may see. */
export async function countTabs(db: Db, viewer: Viewer): Promise<Record<Tab, number>> {
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

/** JIT-18: the statistics of all requests or of one user's requests, by the rules of `statusOf`. */
export async function readStatistics(db: Db, userId: string | null): Promise<Statistics> {
  const notice = sql`least(interval '15 minutes', (ends_at - starts_at) / 10)`;
  const { rows } = await sql<Statistics>`
    select count(*)::integer as total,
      (count(*) filter (where is_active))::integer as active,
      (count(*) filter (where is_active and ends_at - access_time() <= ${notice}))::integer as expiring_soon,
      (count(*) filter (where (state = 'granted' and ends_at <= access_time())
        or (state = 'ended' and ended_how = 'expired')))::integer as expired
    from (
      select *, ${isInForce(sql`request`)} as is_active
      from access_requests request where ${userId === null ? sql`true` : sql`user_id = ${userId}`}
    ) request`.execute(db);
  return rows[0]!;
}

/** The active administrators, who map free-text requests to accounts. */
export async function readAdmins(db: Db): Promise<string[]> {
  const { rows } = await sql<{
    id: string;
  }>`select id from users where role = 'admin' and kind = 'person' and status = 'active'`.execute(db);
  return rows.map((row) => row.id);
}

export type ReviewVerdict = NonNullable<AccessRequest["review"]>["verdict"];

/**
 * Returns the ids of the newest `limit` requests. Does not filter by visibility: the caller has checked that the user
 * may see the whole trail.
 */
export async function requestsAbout(
  db: Db,
  { type, id }: { type: "account" | "user"; id: string },
  limit: number,
): Promise<string[]> {
  const column = sql.ref(type === "account" ? "account_id" : "user_id");
  const { rows } = await sql<{ id: string }>`
    select id from access_requests where ${column} = ${id} order by created_at desc, id desc limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => row.id);
}
