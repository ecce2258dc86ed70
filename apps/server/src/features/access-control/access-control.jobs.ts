// The work on reviews that nobody waits for: when memberships were used last, reminders, and what a close removes.
import { readAccessTime } from "#kernel/db/access-time.ts";
import type { Tx } from "#kernel/db/database.ts";
import { finishClose } from "./decide-item.ts";
import { CLOSE_JOB, USE_DAYS, USE_JOB, remind } from "./reviews.ts";
import type { ReviewSite } from "./reviews.ts";
import * as store from "./reviews.store.ts";

const DAY = 86_400_000;
/** How much of the trail is looked at at a time. */
const SLICE_DAYS = 30;
/** So long before it is due those are reminded who have not decided. */
const NOTICE_DAYS = 3;

interface OfReview {
  review_id: string;
}

/** The least id (UUID version 7) of what is made from then on. */
const idAt = (time: Date, daysBefore = 0): string => {
  const hex = Math.max(0, time.getTime() - daysBefore * DAY)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

export function defineJobs(site: ReviewSite): void {
  const { jobs } = site.kernel;
  jobs.define<OfReview>(USE_JOB, {}, ({ data, signal }) => noteLastUse(site, data.review_id, signal));
  jobs.define<OfReview>(CLOSE_JOB, { policy: "exclusive", retryLimit: 20 }, ({ data, signal }) =>
    finishClose(site, data.review_id, signal),
  );
  jobs.define("access-control.remind", { schedule: "7 7 * * *", policy: "exclusive" }, () => remindOfDue(site));
}

/** From the newest entries to the oldest; may run twice. */
async function noteLastUse({ kernel }: ReviewSite, reviewId: string, signal: AbortSignal): Promise<void> {
  const inReview = (work: (tx: Tx, review: { id: string; started_at: Date }) => Promise<void>): Promise<void> =>
    kernel.database.transaction(async (tx) => {
      const review = await store.holdReview(tx, reviewId, "share");
      if (review !== null) await work(tx, review);
    });
  for (let days = 0; days < USE_DAYS; days += SLICE_DAYS) {
    signal.throwIfAborted();
    const from = Math.min(days + SLICE_DAYS, USE_DAYS);
    await inReview((tx, { id, started_at: at }) => store.noteUse(tx, id, idAt(at, from), idAt(at, days)));
  }
  await inReview((tx, { id }) => store.updateReview(tx, id, { is_use_known: true }));
}

/** Once a day: who has not decided and should have by now, or soon; and closes that were given up go on. */
export async function remindOfDue(site: ReviewSite): Promise<void> {
  const { database, jobs } = site.kernel;
  const now = await readAccessTime(database.db);
  const due = await store.findDueReviews(database.db, new Date(now.getTime() + NOTICE_DAYS * DAY));
  for (const { id, state } of due) {
    await database.transaction(async (tx) => {
      if (state === "closing") {
        await jobs.enqueue(tx, CLOSE_JOB, { review_id: id }, { singletonKey: id });
        return;
      }
      const review = await store.holdReview(tx, id, "share");
      if (review?.state === "open") await remind(site, tx, review, review.due_at <= now ? "overdue" : "due");
    });
  }
}
