// Starts, shows and closes access reviews and reminds their reviewers.
import type {
  AccessReview,
  AccessReviewId,
  GroupId,
  Message,
  ReviewItem,
  ReviewItemId,
  SafeId,
  UserId,
  closeAccessReview,
  listAccessReviews,
  listReviewItems,
  readAccessReview,
  remindReviewers,
  startAccessReview,
} from "@strongroom/contract";
import type { Notice, Notify } from "#features/notifications/index.ts";
import { namesOf } from "#features/safes/index.ts";
import type { SafesFeature } from "#features/safes/index.ts";
import { seesAddresses, findUser } from "#features/users/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { readAccessTime } from "#kernel/db/access-time.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { Call } from "#kernel/http/call.ts";
import { pageByName, placeByName, readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { moment } from "#kernel/moment.ts";
import * as store from "./reviews.store.ts";
import type { ItemRow, ReviewRow } from "./reviews.store.ts";

export interface ReviewContext {
  kernel: Kernel;
  safes: Pick<SafesFeature, "members">;
  notify: Notify;
}

/** The number of days back that the last use of a membership is searched. */
export const USE_DAYS = 365;

export const CLOSE_JOB = "access-control.close-review";
export const USE_JOB = "access-control.note-use";

export const reviewViewerOf = ({ id, role, token }: Actor): store.ReviewViewer => ({
  id,
  isAdmin: role === "admin",
  byAddress: seesAddresses({ id, role, token }),
  token,
});

export const notFound = (): Refusal => refuse(404, "access-control.review-not-found", "Review not found");

/** An event for the users who see the review. */
export const changed = (reviewId: string, users: readonly string[]): NewEvent => ({
  type: "access-review.changed",
  audience: { users: [...users], roles: ["admin"] },
  data: { review_id: reviewId },
});

export async function findReviews(call: Call<typeof listAccessReviews>, db: Db) {
  const { limit, cursor } = call.query;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const rows = await store.listReviews(db, reviewViewerOf(call.actor), limit, after);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next_cursor = last === undefined ? null : writeTimePlace({ at: last.started_at, id: last.id });
  return { reviews: page.map(toReview), next_cursor };
}

export const readOne = (call: Call<typeof readAccessReview>, db: Db): Promise<AccessReview> =>
  presentReview(db, call.actor, call.params.id);

/** Throws 404 if the review does not exist or this user cannot see any part of it. */
export async function presentReview(db: Db, actor: Actor, id: string): Promise<AccessReview> {
  const row = await store.readReview(db, reviewViewerOf(actor), id);
  if (row === null) throw notFound();
  return toReview(row);
}

export async function findItems(call: Call<typeof listReviewItems>, db: Db) {
  const { limit, cursor, show, search } = call.query;
  const viewer = reviewViewerOf(call.actor);
  const review = await store.readReview(db, viewer, call.params.id);
  if (review === null) throw notFound();
  const query = { show, search: search === "" ? null : (search ?? null), limit, after: placeByName(cursor) };
  const { shown, next_cursor } = pageByName(await store.listItems(db, viewer, review.id, query), limit);
  return { items: shown.map((row) => toItem(row, review.state)), next_cursor };
}

export async function start(
  context: ReviewContext,
  call: Call<typeof startAccessReview>,
  tx: Tx,
): Promise<AccessReview> {
  const { kernel } = context;
  const { name, scope, reviewer_id, due_at, unreviewed } = call.body;
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  call.note({ target: { type: "access-review", id, name } });
  if (new Date(due_at) <= (await readAccessTime(tx))) throw wrong("due_at", "The due date must be in the future");
  const group_name = scope.kind === "group" ? await store.groupName(tx, scope.group_id) : null;
  if (scope.kind === "group" && group_name === null) throw wrong("scope.group_id", "Group not found");
  if (reviewer_id !== null && (await findUser(tx, reviewer_id))?.status !== "active") {
    throw wrong("reviewer_id", "User not found");
  }
  await store.insertReview(tx, {
    id,
    name,
    scope: scope.kind,
    group_name,
    reviewer_id,
    due_at: new Date(due_at),
    unreviewed,
    state: "open",
    is_use_known: false,
    use_days: USE_DAYS,
    started_by: call.actor.id,
    started_at: at,
    closed_by: null,
    closed_at: null,
  });
  const count = await store.insertItems(tx, { id, reviewer_id }, scope, reviewViewerOf(call.actor));
  if (count === 0)
    throw refuse(422, "access-control.nothing-to-review", "There are no memberships to review in this scope.");
  call.note({ details: { scope: scope.kind, group: group_name, memberships: count, due_at, unreviewed } });
  await kernel.jobs.enqueue(tx, USE_JOB, { review_id: id });
  const asked = await remind(context, tx, { id, name, due_at: new Date(due_at) }, "started");
  await kernel.events.publish(tx, changed(id, asked));
  return presentReview(tx, call.actor, id);
}

const wrong = (path: string, msg: string): Refusal => refuse(400, "request.invalid", msg, { errors: [{ path, msg }] });

const NOTICES = {
  started: { title: "An access review has started", severity: "medium" },
  due: { title: "An access review is due soon", severity: "medium" },
  overdue: { title: "An access review is overdue", severity: "high" },
} as const;

/**
 * Notifies every reviewer who still has to decide; unread notifications are not repeated. Returns the ids of the
 * notified reviewers.
 */
export async function remind(
  { notify }: ReviewContext,
  tx: Tx,
  review: { id: string; name: string; due_at: Date },
  why: keyof typeof NOTICES,
): Promise<string[]> {
  const waiting = await store.findPendingReviewers(tx, review.id);
  const day = review.due_at.toISOString().slice(0, 10);
  const notices = waiting.map(({ reviewer_id, open }): Notice => {
    const what = open === 1 ? "1 membership" : `${open} memberships`;
    return {
      to: reviewer_id === null ? { users: [], roles: ["admin"] } : { users: [reviewer_id] },
      type: "access_review",
      ...NOTICES[why],
      message: `"${review.name}": ${what} to review, due ${day}.`,
      actionRequired: true,
      metadata: { review_id: review.id, count: open },
      link: `/access-control?tab=reviews&review=${review.id}`,
      dedupeKey: `access-review/${review.id}/${reviewer_id === null ? "administrators" : "reviewer"}`,
    };
  });
  // One call for all, because there can be as many reviewers as safe owners.
  await notify(tx, ...notices);
  return waiting.flatMap(({ reviewer_id }) => reviewer_id ?? []);
}

export async function remindAll(context: ReviewContext, call: Call<typeof remindReviewers>, tx: Tx): Promise<Message> {
  const review = await begin(call, tx, "share");
  if (review.state !== "open") throw refuse(409, "access-control.review-closed", "This review is closed.");
  const isOverdue = review.due_at <= (await readAccessTime(tx));
  const reminded = await remind(context, tx, review, isOverdue ? "overdue" : "due");
  call.note({ details: { reviewers: reminded.length } });
  return { message: reminded.length === 1 ? "1 reviewer reminded" : `${reminded.length} reviewers reminded` };
}

export async function close(
  context: ReviewContext,
  call: Call<typeof closeAccessReview>,
  tx: Tx,
): Promise<AccessReview> {
  const { kernel } = context;
  const review = await begin(call, tx, "update");
  if (review.state !== "open") throw refuse(409, "access-control.review-closed", "This review is already closed.");
  const at = kernel.clock.now();
  const isDone = review.unreviewed === "stays";
  if (isDone) await store.closeUndecided(tx, review.id, at);
  const closed = isDone ? { state: "closed" as const, closed_at: at } : { state: "closing" as const };
  await store.updateReview(tx, review.id, { ...closed, closed_by: call.actor.id });
  if (!isDone) await kernel.jobs.enqueue(tx, CLOSE_JOB, { review_id: review.id }, { singletonKey: review.id });
  const shown = await presentReview(tx, call.actor, review.id);
  call.note({ details: { unreviewed: review.unreviewed, ...shown.items } });
  await kernel.events.publish(tx, changed(review.id, []));
  return shown;
}

type AboutReview = Pick<Call, "note"> & { params: { id: string } };

/** Locks the review of a call and adds it to the audit entry. Throws 404 if the review does not exist. */
async function begin(call: AboutReview, tx: Tx, strength: "share" | "update") {
  const { id } = call.params;
  call.note({ target: { type: "access-review", id } });
  const review = await store.lockReview(tx, id, strength);
  if (review === null) throw notFound();
  call.note({ target: { type: "access-review", id, name: review.name } });
  return review;
}

const toReview = (row: ReviewRow): AccessReview => ({
  id: row.id as AccessReviewId,
  name: row.name,
  scope: row.scope,
  group_name: row.group_name,
  reviewer_name: row.reviewer_name,
  due_at: row.due_at.toISOString(),
  is_overdue: row.is_overdue,
  unreviewed: row.unreviewed,
  state: row.state,
  started_by: row.started_by_name,
  started_at: row.started_at.toISOString(),
  use_days: row.use_days,
  closed_by: row.closed_by_name,
  closed_at: moment(row.closed_at),
  safes: row.safes,
  items: {
    total: row.total,
    open: row.open,
    mine: row.mine,
    confirmed: row.confirmed,
    removed: row.removed,
    gone: row.gone,
    kept: row.kept,
    lapsed: row.lapsed,
  },
});

export function toItem(row: ItemRow, state: ReviewRow["state"]): ReviewItem {
  const given = { role: row.role, permissions: namesOf(row.permissions), expires_at: moment(row.expires_at) };
  const now =
    row.now_role === null || row.now_permissions === null
      ? null
      : { role: row.now_role, permissions: namesOf(row.now_permissions), expires_at: moment(row.now_expires_at) };
  const isChanged = row.now_permissions !== row.permissions || now?.expires_at !== given.expires_at;
  return {
    id: row.id as ReviewItemId,
    safe_id: row.safe_id as SafeId,
    safe_name: row.safe_name,
    user_id: row.user_id as UserId | null,
    group_id: row.group_id as GroupId | null,
    name: row.name,
    email: row.email,
    people: row.people,
    given,
    given_now: isChanged ? now : null,
    is_gone: row.is_gone,
    added_at: row.added_at.toISOString(),
    last_used_at: moment(row.last_used_at),
    reviewer_name: row.reviewer_name,
    decision: row.decision ?? (row.is_gone ? "gone" : null),
    reason: row.reason,
    decided_by: row.decided_by_name,
    decided_at: moment(row.decided_at),
    can_decide: state === "open" && row.decision === null && !row.is_gone && !row.is_about_looker,
  };
}
