// Background jobs of access reviews: finding the last use of memberships, reminding reviewers, and removing undecided
// memberships after a review closes.
import { readAccessTime } from "#kernel/db/access-time.ts";
import type { Tx } from "#kernel/db/database.ts";
import { finishClose } from "./reviews/decide-item.ts";
import { CLOSE_JOB, USE_DAYS, USE_JOB, remind } from "./reviews/reviews.ts";
import type { ReviewContext } from "./reviews/reviews.ts";
import * as store from "./reviews/reviews.store.ts";

const DAY = 86_400_000;
/** Each transaction searches this many days of audit entries. */
const SLICE_DAYS = 30;
/** Reviewers who have not decided are reminded this many days before the due date. */
const NOTICE_DAYS = 3;

interface OfReview {
  review_id: string;
}

/** The smallest UUID version 7 that could have been created at this time or later. */
const idAt = (time: Date, daysBefore = 0): string => {
  const hex = Math.max(0, time.getTime() - daysBefore * DAY)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

export function defineJobs(context: ReviewContext): void {
  const { jobs } = context.kernel;
  jobs.define<OfReview>(USE_JOB, {}, ({ data, signal }) => noteLastUse(context, data.review_id, signal));
  jobs.define<OfReview>(CLOSE_JOB, { policy: "exclusive", retryLimit: 20 }, ({ data, signal }) =>
    finishClose(context, data.review_id, signal),
  );
  jobs.define("access-control.remind", { schedule: "7 7 * * *", policy: "exclusive" }, () => sendDueReminders(context));
}

/** Searches the audit trail from the newest entries to the oldest. Safe to run twice. */
async function noteLastUse({ kernel }: ReviewContext, reviewId: string, signal: AbortSignal): Promise<void> {
  const inReview = (work: (tx: Tx, review: { id: string; started_at: Date }) => Promise<void>): Promise<void> =>
    kernel.database.transaction(async (tx) => {
      const review = await store.lockReview(tx, reviewId, "share");
      if (review !== null) await work(tx, review);
    });
  for (let days = 0; days < USE_DAYS; days += SLICE_DAYS) {
    signal.throwIfAborted();
    const from = Math.min(days + SLICE_DAYS, USE_DAYS);
    await inReview((tx, { id, started_at: at }) => store.recordLastUse(tx, id, idAt(at, from), idAt(at, days)));
  }
  await inReview((tx, { id }) => store.updateReview(tx, id, { is_use_known: true }));
}

/**
 * Runs daily: reminds reviewers of reviews that are due soon or overdue, and queues unfinished closings of reviews
 * again.
 */
export async function sendDueReminders(context: ReviewContext): Promise<void> {
  const { database, jobs } = context.kernel;
  const now = await readAccessTime(database.db);
  const due = await store.findDueReviews(database.db, new Date(now.getTime() + NOTICE_DAYS * DAY));
  for (const { id, state } of due) {
    await database.transaction(async (tx) => {
      if (state === "closing") {
        await jobs.enqueue(tx, CLOSE_JOB, { review_id: id }, { singletonKey: id });
        return;
      }
      const review = await store.lockReview(tx, id, "share");
      if (review?.state === "open") await remind(context, tx, review, review.due_at <= now ? "overdue" : "due");
    });
  }
}
