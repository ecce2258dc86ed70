// Makes the same decision on several memberships of a review, each independently: failures are listed and the rest
// succeed.
import { decideReviewItem } from "@strongroom/contract";
import type { ReplyOf, ReviewItemId, decideReviewItems } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { decideOne } from "./decide-item.ts";
import { changed, presentReview } from "./reviews.ts";
import type { ReviewContext } from "./reviews.ts";

type Several = SteppedCall<typeof decideReviewItems>;
type Reply = ReplyOf<typeof decideReviewItems>;

/** Throws 404 if the caller cannot see any part of the review. */
export async function decideSeveral(context: ReviewContext, call: Several): Promise<Reply> {
  const { id } = call.params;
  const { decision } = call.body;
  call.note({ target: { type: "access-review", id } });
  const review = await presentReview(context.kernel.database.db, call.actor, id);
  const done: ReviewItemId[] = [];
  const failed: Reply["failed"] = [];
  const reviewers = new Set<string>();
  for (const itemId of new Set(call.body.item_ids)) {
    if (call.signal.aborted) break;
    const reviewer = await decideByItself(context, call, itemId);
    if (reviewer instanceof Refusal) {
      failed.push({ id: itemId, code: reviewer.code, message: reviewer.message });
    } else {
      done.push(itemId);
      if (reviewer !== null) reviewers.add(reviewer);
    }
  }
  call.note({
    target: { type: "access-review", id, name: review.name },
    result: failed.length === 0 ? "success" : done.length === 0 ? "failure" : "warning",
    details: { decision, done: done.length, failed: failed.length },
  });
  const message = messageOf(decision, done.length, failed.length);
  return call.commit(
    async (tx) => {
      await context.kernel.events.publish(tx, changed(id, [...reviewers]));
      return { done, failed, message };
    },
    (reply) => reply,
  );
}

const FAILED = refuse(500, "access-control.not-decided", "Internal error. Submit this decision again.");

/** Returns the reviewer's id, or a refusal. A failure does not affect decisions that are already committed. */
async function decideByItself(
  context: ReviewContext,
  call: Several,
  itemId: ReviewItemId,
): Promise<string | null | Refusal> {
  try {
    return await decideHeld(context, call, itemId);
  } catch (error) {
    if (error instanceof Refusal) return error;
    context.kernel.log.error({ err: error, item: itemId }, "could not store a membership decision");
    return FAILED;
  }
}

/** Decides in its own transaction and writes the same audit entry as a single decision. */
function decideHeld(context: ReviewContext, call: Several, itemId: ReviewItemId): Promise<string | null> {
  const { clock, database } = context.kernel;
  const { actor, request } = call;
  const { decision, reason } = call.body;
  return database.transaction(async (tx) => {
    let note: AuditNote = {};
    const { item } = await decideOne(context, tx, {
      actor,
      params: { id: call.params.id, item_id: itemId },
      body: { decision, reason },
      note: (more) => void (note = { ...note, ...more }),
    });
    await appendAudit(tx, [callEntry(decideReviewItem.audit, actor, request, note, clock.now())]);
    return item.reviewer_id;
  });
}

function messageOf(decision: Several["body"]["decision"], done: number, failed: number): string {
  const memberships = (count: number): string => (count === 1 ? "1 membership" : `${count} memberships`);
  const sentence = `${decision === "confirmed" ? "Confirmed" : "Removed"} ${memberships(done)}`;
  return failed === 0 ? sentence : `${sentence}, ${memberships(failed)} failed`;
}
