// Access reviews in the database: their scope, a copy of the memberships at the start, and the decision on each.
import type { ReviewDecision, SafeRole } from "@strongroom/contract";
import { sql } from "kysely";
import type { Insertable, RawBuilder } from "kysely";
import { containing } from "#kernel/db/containing.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NamePlace, NamedRow, TimePlace } from "#kernel/http/cursor.ts";
import { limitToTokenSafes } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import type { Asker } from "#kernel/authz/actor.ts";

interface AccessReviewsTable {
  id: string;
  name: string;
  scope: "all" | "safes" | "group";
  group_name: string | null;
  reviewer_id: string | null;
  due_at: Date;
  unreviewed: "stays" | "is-removed";
  state: "open" | "closing" | "closed";
  is_use_known: boolean;
  use_days: number;
  started_by: string;
  started_at: Date;
  closed_by: string | null;
  closed_at: Date | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    access_reviews: AccessReviewsTable;
  }
}

export interface ReviewRow extends AccessReviewsTable {
  reviewer_name: string | null;
  started_by_name: string;
  closed_by_name: string | null;
  is_overdue: boolean;
  safes: number;
  total: number;
  open: number;
  mine: number;
  confirmed: number;
  removed: number;
  gone: number;
  kept: number;
  lapsed: number;
}

/** The caller: an administrator sees everything, others see the items they decide on. */
export interface ReviewViewer {
  id: string;
  isAdmin: boolean;
  /** Whether the caller may also search by email address. */
  byAddress: boolean;
  /** A token limited to some safes sees no items of other safes. */
  token: Asker["token"];
}

const isStillThere = sql`exists (select from safe_members member where member.id = item.member_id)`;

/** INVARIANT: users never review their own membership or that of a group that they are in. */
const isAbout = (userId: string): RawBuilder<boolean> => sql`(item.user_id is not distinct from ${userId}::uuid
  or exists (select from group_members mine where mine.group_id = item.group_id and mine.user_id = ${userId}::uuid))`;

const isFor = ({ id, isAdmin, token }: ReviewViewer): RawBuilder<boolean> =>
  sql`(${isAdmin ? sql`true` : sql`item.reviewer_id is not distinct from ${id}::uuid`}
    ${limitToTokenSafes(sql`item.safe_id`, { token: token ?? null })})`;

/** Items this user has to decide on: assigned to them, or without a reviewer if they are an administrator. */
const isMine = ({ id, isAdmin }: ReviewViewer): RawBuilder<boolean> =>
  sql`((item.reviewer_id is not distinct from ${id}::uuid or (item.reviewer_id is null and ${sql.lit(isAdmin)}))
    and not ${isAbout(id)})`;

const shown = (viewer: ReviewViewer, condition: RawBuilder<unknown>): RawBuilder<ReviewRow> => sql<ReviewRow>`
  select review.*, reviewer.name as reviewer_name, starter.name as started_by_name, closer.name as closed_by_name,
    review.state = 'open' and review.due_at <= access_time() as is_overdue, counted.*
  from access_reviews review
  left join users reviewer on reviewer.id = review.reviewer_id
  join users starter on starter.id = review.started_by
  left join users closer on closer.id = review.closed_by
  cross join lateral (
    select count(distinct item.safe_id)::integer as safes, count(*)::integer as total,
      (count(*) filter (where decision is null and ${isStillThere}))::integer as open,
      (count(*) filter (where decision is null and review.state = 'open' and ${isStillThere} and ${isMine(viewer)}))::integer as mine,
      (count(*) filter (where decision = 'confirmed'))::integer as confirmed,
      (count(*) filter (where decision = 'removed'))::integer as removed,
      (count(*) filter (where decision = 'gone' or (decision is null and not ${isStillThere})))::integer as gone,
      (count(*) filter (where decision = 'kept'))::integer as kept,
      (count(*) filter (where decision = 'lapsed'))::integer as lapsed
    from access_review_items item where item.review_id = review.id and ${isFor(viewer)}
  ) counted
  where ${condition} and (${sql.lit(viewer.isAdmin)} or counted.total > 0)`;

/** Newest first. Returns one row more than `limit` when there is a next page. */
export async function listReviews(
  db: Db,
  viewer: ReviewViewer,
  limit: number,
  after: TimePlace | null,
): Promise<ReviewRow[]> {
  const place = after === null ? sql`true` : sql`(review.started_at, review.id) < (${after.at}, ${after.id}::uuid)`;
  const seen = viewer.isAdmin
    ? sql`true`
    : sql`review.id in (select review_id from access_review_items where reviewer_id = ${viewer.id})`;
  const page = sql<ReviewRow>`${shown(viewer, sql`${place} and ${seen}`)}
    order by review.started_at desc, review.id desc limit ${limit + 1}`;
  return (await page.execute(db)).rows;
}

/** Null if the review does not exist or the caller may see nothing in it. */
export async function readReview(db: Db, viewer: ReviewViewer, id: string): Promise<ReviewRow | null> {
  return (await shown(viewer, sql`review.id = ${id}`).execute(db)).rows[0] ?? null;
}

/**
 * Locks the review until the transaction ends: `share` for deciding, `update` for closing. Lock it before its items.
 */
export async function lockReview(tx: Tx, id: string, strength: "share" | "update") {
  const query = tx.selectFrom("access_reviews").selectAll().where("id", "=", id);
  return (await (strength === "share" ? query.forShare() : query.forUpdate()).executeTakeFirst()) ?? null;
}

export async function insertReview(tx: Tx, row: Insertable<AccessReviewsTable>): Promise<void> {
  await tx.insertInto("access_reviews").values(row).execute();
}

export async function updateReview(tx: Tx, id: string, changes: Partial<AccessReviewsTable>): Promise<void> {
  await tx.updateTable("access_reviews").set(changes).where("id", "=", id).execute();
}

export type ItemScope =
  | { kind: "all" }
  | { kind: "safes"; safe_ids: readonly string[] }
  | { kind: "group"; group_id: string };

const inScope = (scope: ItemScope): RawBuilder<boolean> => {
  if (scope.kind === "all") return sql`true`;
  if (scope.kind === "safes") return sql`member.safe_id = any(${[...scope.safe_ids]}::uuid[])`;
  return sql`(member.group_id = ${scope.group_id}
    or member.user_id in (select user_id from group_members where group_id = ${scope.group_id}))`;
};

/** Copies every unexpired membership in the scope, with its reviewer. Returns the number of copied memberships. */
export async function insertItems(
  tx: Tx,
  review: { id: string; reviewer_id: string | null },
  scope: ItemScope,
  by: ReviewViewer,
): Promise<number> {
  const reviewer = review.reviewer_id === null ? sql`safes.owner_id` : sql`${review.reviewer_id}::uuid`;
  const { numAffectedRows } = await sql`
    insert into access_review_items (id, review_id, member_id, safe_id, safe_name, user_id, group_id, name, email, people,
      role, permissions, expires_at, added_at, reviewer_id)
    select gen_random_uuid(), ${review.id}, member.id, safes.id, safes.name, member.user_id, member.group_id,
      coalesce(person.name, groups.name), person.email,
      case when groups.id is not null then
        (select count(*)::integer from group_members theirs where theirs.group_id = groups.id) end,
      member.role, member.permissions, member.expires_at, member.added_at,
      case when member.user_id is distinct from ${reviewer} and not exists (
        select from group_members mine where mine.group_id = member.group_id and mine.user_id = ${reviewer}
      ) and exists (select from users active where active.id = ${reviewer} and active.status = 'active')
      then ${reviewer} end
    from safe_members member join safes on safes.id = member.safe_id and safes.deleted_at is null
    left join users person on person.id = member.user_id left join groups on groups.id = member.group_id
    where (member.expires_at is null or member.expires_at > access_time()) and ${inScope(scope)}
      ${limitToTokenSafes(sql`safes.id`, { token: by.token ?? null })}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** The audit events that count as a use of a membership; their target is an account or the safe itself. */
const USES = [
  "account.retrieved",
  "account.version-retrieved",
  "account.checked-in",
  "account.validated",
  "account.rotation-asked",
  "account.reconciliation-asked",
  "account.created",
  "account.updated",
  "safe.updated",
  "safe.member-added",
  "safe.member-updated",
  "safe.member-removed",
];

/**
 * Records the last use of memberships from the audit entries in this id range, unless a later use is already recorded.
 */
export async function recordLastUse(tx: Tx, reviewId: string, from: string, to: string): Promise<void> {
  await sql`
    with used as materialized (
      select entry.actor_id as user_id, entry.target_id, max(entry.at) as at from audit_entries entry
      where entry.event = any(${USES}::text[]) and entry.id >= ${from}::uuid and entry.id < ${to}::uuid
        and entry.result in ('success', 'warning') and entry.actor_id is not null
      group by 1, 2
    ), placed as (
      select used.user_id, credentials.safe_id, used.at
      from used join credentials on credentials.id::text = used.target_id where credentials.safe_id is not null
      union all
      select used.user_id, safes.id, used.at from used join safes on safes.id::text = used.target_id
    ), found as (
      select item.id, max(placed.at) as at
      from access_review_items item
      left join group_members theirs on theirs.group_id = item.group_id
      join placed on placed.user_id = coalesce(item.user_id, theirs.user_id) and placed.safe_id = item.safe_id
      where item.review_id = ${reviewId} and item.last_used_at is null
      group by item.id
    )
    update access_review_items item set last_used_at = found.at from found where found.id = item.id`.execute(tx);
}

export interface ItemRow extends NamedRow {
  review_id: string;
  member_id: string;
  safe_id: string;
  safe_name: string;
  user_id: string | null;
  group_id: string | null;
  name: string;
  email: string | null;
  people: number | null;
  role: SafeRole;
  permissions: Permissions;
  expires_at: Date | null;
  added_at: Date;
  last_used_at: Date | null;
  reviewer_id: string | null;
  reviewer_name: string | null;
  decision: ReviewDecision | null;
  reason: string | null;
  decided_by_name: string | null;
  decided_at: Date | null;
  is_gone: boolean;
  now_role: SafeRole | null;
  now_permissions: Permissions | null;
  now_expires_at: Date | null;
  is_about_looker: boolean;
}

export interface ItemQuery {
  show: "all" | "open" | "decided";
  search: string | null;
  limit: number;
  after: NamePlace | null;
}

const items = (viewer: ReviewViewer, condition: RawBuilder<unknown>): RawBuilder<ItemRow> => sql<ItemRow>`
  select item.*, lower(item.safe_name) as sort, reviewer.name as reviewer_name, decider.name as decided_by_name,
    member.id is null as is_gone, member.role as now_role, member.permissions as now_permissions,
    member.expires_at as now_expires_at, ${isAbout(viewer.id)} as is_about_looker
  from access_review_items item
  left join safe_members member on member.id = item.member_id
  left join users reviewer on reviewer.id = item.reviewer_id
  left join users decider on decider.id = item.decided_by
  where ${isFor(viewer)} and ${condition}`;

/** Sorted by safe. Returns one row more than `limit` when there is a next page. */
export async function listItems(db: Db, viewer: ReviewViewer, reviewId: string, query: ItemQuery): Promise<ItemRow[]> {
  const { show, search, limit, after } = query;
  const pattern = containing(search ?? "");
  const conditions = [
    sql`item.review_id = ${reviewId}`,
    ...(after === null ? [] : [sql`(lower(item.safe_name), item.id) > (${after.name}, ${after.id}::uuid)`]),
    ...(show === "open" ? [sql`item.decision is null and member.id is not null`] : []),
    ...(show === "decided" ? [sql`(item.decision is not null or member.id is null)`] : []),
    ...(search === null
      ? []
      : [
          sql`(item.safe_name ilike ${pattern} or item.name ilike ${pattern}
          or ((${viewer.byAddress} or item.user_id = ${viewer.id}) and item.email ilike ${pattern}))`,
        ]),
  ];
  const page = sql<ItemRow>`${items(viewer, sql.join(conditions, sql` and `))}
    order by lower(item.safe_name), item.id limit ${limit + 1}`;
  return (await page.execute(db)).rows;
}

/**
 * Locks the item until the transaction ends; null if it does not exist or the caller may not see it. Lock it before its
 * safe.
 */
export async function lockItem(tx: Tx, viewer: ReviewViewer, reviewId: string, id: string): Promise<ItemRow | null> {
  await sql`select from access_review_items where id = ${id} and review_id = ${reviewId} for update`.execute(tx);
  return readItem(tx, viewer, reviewId, id);
}

export async function readItem(db: Db, viewer: ReviewViewer, reviewId: string, id: string): Promise<ItemRow | null> {
  const one = items(viewer, sql`item.id = ${id} and item.review_id = ${reviewId}`);
  return (await one.execute(db)).rows[0] ?? null;
}

export interface ItemDecision {
  decision: ReviewDecision;
  reason: string | null;
  decided_by: string | null;
  decided_at: Date;
}

export async function decideItem(tx: Tx, id: string, { decision, reason, decided_by, decided_at }: ItemDecision) {
  await sql`
    update access_review_items set decision = ${decision}, reason = ${reason}, decided_by = ${decided_by},
      decided_at = ${decided_at}
    where id = ${id}`.execute(tx);
}

/** Keeps undecided memberships; those that ended in a different way are recorded as `gone`. */
export async function closeUndecided(tx: Tx, reviewId: string, at: Date): Promise<void> {
  await sql`
    update access_review_items item set decided_at = ${at},
      decision = case when ${isStillThere} then 'kept' else 'gone' end
    where item.review_id = ${reviewId} and item.decision is null`.execute(tx);
}

export async function findUndecided(db: Db, reviewId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from access_review_items where review_id = ${reviewId} and decision is null
    order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export interface PendingReviewer {
  /** Null means the administrators. */
  reviewer_id: string | null;
  open: number;
}

/** Returns the reviewers who still have to decide, and the number of memberships each one has left. */
export async function findPendingReviewers(db: Db, reviewId: string): Promise<PendingReviewer[]> {
  const { rows } = await sql<PendingReviewer>`
    select reviewer.id as reviewer_id, count(*)::integer as open
    from access_review_items item
    left join users reviewer on reviewer.id = item.reviewer_id and reviewer.status = 'active'
    where item.review_id = ${reviewId} and item.decision is null and ${isStillThere}
    group by reviewer.id`.execute(db);
  return rows;
}

/** Open reviews due before this time, and reviews whose close is unfinished. */
export async function findDueReviews(db: Db, before: Date): Promise<{ id: string; state: "open" | "closing" }[]> {
  const { rows } = await sql<{ id: string; state: "open" | "closing" }>`
    select id, state from access_reviews
    where (state = 'open' and due_at <= ${before}) or state = 'closing'
    order by due_at, id limit 200`.execute(db);
  return rows;
}

export async function groupName(db: Db, id: string): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`select name from groups where id = ${id}`.execute(db);
  return rows[0]?.name ?? null;
}

/** Replaces the name of a deleted user. The membership and the decision stay on record. */
export async function anonymisePerson(tx: Tx, userId: string): Promise<void> {
  await sql`update access_review_items set name = 'Deleted user', email = null where user_id = ${userId}`.execute(tx);
}
