// Confirms or removes a membership under review, and removes undecided memberships when a review closes.
import type { ReviewItem, decideReviewItem } from "@strongroom/contract";
import { namesOf } from "#features/safes/index.ts";
import { findUser } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { absentActor } from "#kernel/authz/actor.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call, CallInput } from "#kernel/http/call.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { changed, reviewViewerOf, notFound, toItem } from "./reviews.ts";
import type { ReviewContext } from "./reviews.ts";
import * as store from "./reviews.store.ts";
import type { ItemRow } from "./reviews.store.ts";

interface ReviewName {
  id: string;
  name: string;
}

export async function decide(context: ReviewContext, call: Call<typeof decideReviewItem>, tx: Tx): Promise<ReviewItem> {
  const { id } = call.params;
  const { item, review } = await decideOne(context, tx, call);
  await context.kernel.events.publish(tx, changed(id, item.reviewer_id === null ? [] : [item.reviewer_id]));
  return toItem((await store.readItem(tx, reviewViewerOf(call.actor), id, item.id))!, review.state);
}

/** Lock order everywhere: the review, then the item, then the safe. Throws a refusal if the decision is not allowed. */
export async function decideOne(context: ReviewContext, tx: Tx, act: CallInput<typeof decideReviewItem>) {
  const { id, item_id } = act.params;
  act.note({ target: { type: "access-review", id } });
  const review = await store.lockReview(tx, id, "share");
  const item = review === null ? null : await store.lockItem(tx, reviewViewerOf(act.actor), id, item_id);
  if (review === null || item === null) throw notFound();
  act.note({ target: { type: "safe", id: item.safe_id, name: item.safe_name } });
  requireOpen(review.state, item);
  const { decision: wanted, reason } = act.body;
  const decision = await carryOut(context, tx, item, { wanted, review, by: act.actor });
  const decided_at = context.kernel.clock.now();
  await store.decideItem(tx, item.id, {
    decision,
    reason: reason === "" ? null : reason,
    decided_by: act.actor.id,
    decided_at,
  });
  act.note({
    ...(reason === "" ? {} : { reason }),
    details: { ...said(item, review), decision },
  });
  return { item, review };
}

function requireOpen(state: "open" | "closing" | "closed", item: ItemRow): void {
  if (state !== "open") throw refuse(409, "access-control.review-closed", "This review is closed.");
  if (item.is_about_looker) {
    throw refuse(
      403,
      "access-control.own-membership",
      "You cannot review your own membership. Another reviewer must decide.",
    );
  }
  if (item.decision === null) return;
  const who = item.decided_by_name ?? "Someone";
  throw refuse(409, "access-control.already-decided", `${who} has already decided: ${item.decision}.`);
}

interface Outcome {
  wanted: "confirmed" | "removed";
  review: ReviewName;
  by: Actor;
}

/**
 * Carries out the decision and returns the one to record: `gone` if the membership had already ended in a different
 * way.
 */
async function carryOut(context: ReviewContext, tx: Tx, item: ItemRow, { wanted, review, by }: Outcome) {
  if (item.is_gone) return "gone";
  if (wanted === "confirmed") return "confirmed";
  try {
    await removeMembership(context, tx, item, review, by);
    return "removed";
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
}

/**
 * Whether the error means that the membership had already ended in a different way. In that case the transaction has
 * changed nothing.
 */
const isGone = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === "safe.member-not-found" || error.code === "safe.not-found");

/** Removes the member through the safe's own use case and also records the removal in the safe's audit entries. */
async function removeMembership(context: ReviewContext, tx: Tx, item: ItemRow, review: ReviewName, by: Actor) {
  const params = { id: item.safe_id as never, member_id: item.member_id as never };
  await context.safes.members.removeReviewed({ actor: by, params, body: undefined, note: () => {} }, tx);
  const note = {
    target: { type: "safe", id: item.safe_id, name: item.safe_name },
    details: { ...said(item, review), by_id: by.id, by: by.name },
  };
  await appendAudit(tx, [systemEntry("safe.member-removed", "access-review", note, context.kernel.clock.now())]);
}

const said = (item: ItemRow, review: ReviewName) => ({
  review: review.name,
  review_id: review.id,
  member: item.name,
  ...(item.user_id === null ? { group_id: item.group_id } : { user_id: item.user_id }),
  role: item.role,
  permissions: namesOf(item.permissions),
});

const AT_ONCE = 100;

/** Removes undecided memberships one at a time, each in its own transaction. Safe to run twice. */
export async function finishClose(context: ReviewContext, reviewId: string, signal: AbortSignal): Promise<void> {
  const { database, clock, events } = context.kernel;
  for (;;) {
    const ids = await store.findUndecided(database.db, reviewId, AT_ONCE);
    for (const id of ids) {
      signal.throwIfAborted();
      await database.transaction((tx) => lapse(context, tx, reviewId, id));
    }
    if (ids.length < AT_ONCE) break;
  }
  await database.transaction(async (tx) => {
    const review = await store.lockReview(tx, reviewId, "update");
    if (review?.state !== "closing") return;
    await store.updateReview(tx, reviewId, { state: "closed", closed_at: clock.now() });
    await events.publish(tx, changed(reviewId, []));
  });
}

async function lapse(context: ReviewContext, tx: Tx, reviewId: string, id: string): Promise<void> {
  const review = await store.lockReview(tx, reviewId, "share");
  if (review?.state !== "closing" || review.closed_by === null) return;
  const closer = await findUser(tx, review.closed_by);
  const by = actorOf(review.closed_by, closer?.name ?? "Deleted user", closer?.email ?? "");
  const item = await store.lockItem(tx, reviewViewerOf(by), reviewId, id);
  if (item === null || item.decision !== null) return;
  const decided = { decided_by: null, decided_at: context.kernel.clock.now() };
  try {
    if (!item.is_gone) await removeMembership(context, tx, item, review, by);
    await store.decideItem(tx, id, { ...decided, decision: item.is_gone ? "gone" : "lapsed", reason: null });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const decision = isGone(error) ? "gone" : "kept";
    await store.decideItem(tx, id, { ...decided, decision, reason: decision === "kept" ? error.message : null });
  }
}

/** The user who closed the review, without a session. Acts as an administrator, whatever their current role. */
const actorOf = (id: string, name: string, email: string): Actor =>
  absentActor({ id: id as Actor["id"], name, email, role: "admin" });
