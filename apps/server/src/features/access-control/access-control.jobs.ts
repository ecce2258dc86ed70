// The work on reviews that nobody waits for: when memberships were used last, reminders, and what a close removes.
import { readAccessTime } from "#kernel/db/access-time.ts";
import { finishClose } from "./decide-item.ts";
import { CLOSE_JOB, USE_JOB, remind } from "./reviews.ts";
import type { ReviewSite } from "./reviews.ts";
import * as store from "./reviews.store.ts";

const DAY = 86_400_000;
/** How far back it is looked for the last use. */
const USE_DAYS = 90;
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
  const { jobs, database } = site.kernel;
  jobs.define<OfReview>(USE_JOB, {}, ({ data }) =>
    database.transaction(async (tx) => {
      const review = await store.holdReview(tx, data.review_id, "share");
      if (review === null) return;
      await store.noteUse(tx, review.id, idAt(review.started_at, USE_DAYS), idAt(review.started_at));
    }),
  );
  jobs.define<OfReview>(CLOSE_JOB, { policy: "exclusive", retryLimit: 20 }, ({ data, signal }) =>
    finishClose(site, data.review_id, signal),
  );
  jobs.define("access-control.remind", { schedule: "7 7 * * *", policy: "exclusive" }, () => remindOfDue(site));
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
