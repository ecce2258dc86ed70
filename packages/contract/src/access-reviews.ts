// Access reviews: who still needs the memberships that there are? Each is confirmed or removed by somebody who can tell.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { GroupId, Message, Moment, SafeId, UserId, manyLines, oneLine, pageQuery } from "./fields.ts";
import { SafePermission, SafeRole } from "./safe-permissions.ts";

export const AccessReviewId = z.uuid().brand<"AccessReviewId">();
export type AccessReviewId = z.infer<typeof AccessReviewId>;
export const ReviewItemId = z.uuid().brand<"ReviewItemId">();
export type ReviewItemId = z.infer<typeof ReviewItemId>;

/** What happens at the close to a membership on which nobody decided. */
export const Unreviewed = z.enum(["stays", "is-removed"]);

/** `gone`: it had ended in another way. `kept` and `lapsed`: nobody decided, and it stayed or was removed at the close. */
export const REVIEW_DECISIONS = ["confirmed", "removed", "gone", "kept", "lapsed"] as const;
export const ReviewDecision = z.enum(REVIEW_DECISIONS);
export type ReviewDecision = z.infer<typeof ReviewDecision>;

export const ReviewCounts = z.object({
  total: z.number().int(),
  /** Nobody has decided on them, and they are still there. */
  open: z.number().int(),
  /** Of the open ones: for the caller to decide. */
  mine: z.number().int(),
  confirmed: z.number().int(),
  removed: z.number().int(),
  gone: z.number().int(),
  kept: z.number().int(),
  lapsed: z.number().int(),
});

export const AccessReview = z.object({
  id: AccessReviewId,
  name: z.string(),
  scope: z.enum(["all", "safes", "group"]),
  group_name: z.string().nullable(),
  /** Null: the owners of the safes. */
  reviewer_name: z.string().nullable(),
  due_at: Moment,
  is_overdue: z.boolean(),
  unreviewed: Unreviewed,
  state: z.enum(["open", "closing", "closed"]),
  started_by: z.string(),
  started_at: Moment,
  /** So far back before its start the last use of each membership was looked up; under 365, only retrievals were. */
  use_days: z.number().int(),
  closed_by: z.string().nullable(),
  closed_at: Moment.nullable(),
  safes: z.number().int(),
  items: ReviewCounts,
});
export type AccessReview = z.infer<typeof AccessReview>;

const byId = z.object({ id: AccessReviewId });

export const listAccessReviews = endpoint({
  method: "GET",
  path: "/api/v1/access-control/reviews",
  summary: "Access reviews, newest first; others than administrators see those in which they decide",
  query: z.object(pageQuery(50, 20)),
  reply: z.object({ reviews: z.array(AccessReview), next_cursor: z.string().nullable() }),
  needs: "access.review",
  audit: "none",
});

export const readAccessReview = endpoint({
  method: "GET",
  path: "/api/v1/access-control/reviews/:id",
  summary: "One access review and how far it is",
  params: byId,
  reply: AccessReview,
  needs: "access.review",
  audit: "none",
});

export const NewAccessReview = z.strictObject({
  name: oneLine("Give the review a name").min(3, "Give the review a name").max(100),
  scope: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("all") }),
    z.strictObject({
      kind: z.literal("safes"),
      safe_ids: z.array(SafeId).min(1, "Choose at least one safe").max(200, "Choose 200 safes at most"),
    }),
    /** What the group itself is a member of, and what its people are by themselves. */
    z.strictObject({ kind: z.literal("group"), group_id: GroupId }),
  ]),
  /** Absent: the owner of each safe. */
  reviewer_id: UserId.nullish().transform((id) => id ?? null),
  due_at: Moment,
  unreviewed: Unreviewed,
});
export type NewAccessReview = z.infer<typeof NewAccessReview>;

export const startAccessReview = endpoint({
  method: "POST",
  path: "/api/v1/access-control/reviews",
  summary: "Start an access review over the memberships as they are now, and tell the reviewers",
  body: NewAccessReview,
  reply: AccessReview,
  status: 201,
  needs: "access.manage",
  audit: "access-control.review-started",
  gives: "right",
  stepUp: true,
  givesByToken: "access.manage",
});

/** What a membership gives. */
const Given = z.object({
  role: SafeRole,
  permissions: z.array(SafePermission),
  expires_at: Moment.nullable(),
});

export const ReviewItem = z.object({
  id: ReviewItemId,
  safe_id: SafeId,
  safe_name: z.string(),
  /** One of the two. */
  user_id: UserId.nullable(),
  group_id: GroupId.nullable(),
  name: z.string(),
  email: z.string().nullable(),
  people: z.number().int().nullable(),
  /** As it was when the review began. */
  given: Given,
  /** As it is now, where that differs; null where it does not, and where it is gone. */
  given_now: Given.nullable(),
  is_gone: z.boolean(),
  added_at: Moment,
  /**
   * When they last did something with the safe or an account of it that is on record, such as taking out a password, checking
   * it in or rotating it, themselves or by a token, in the 365 days before the review; null: not in these.
   */
  last_used_at: Moment.nullable(),
  /** Null: an administrator whom it is not about. */
  reviewer_name: z.string().nullable(),
  decision: ReviewDecision.nullable(),
  reason: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_at: Moment.nullable(),
  /** The caller decides on it now. */
  can_decide: z.boolean(),
});
export type ReviewItem = z.infer<typeof ReviewItem>;

export const listReviewItems = endpoint({
  method: "GET",
  path: "/api/v1/access-control/reviews/:id/items",
  summary: "The memberships of a review, by safe; others than administrators see those on which they decide",
  params: byId,
  query: z.object({
    ...pageQuery(200, 50),
    show: z.enum(["all", "open", "decided"]).default("all"),
    search: z.string().trim().max(100).optional(),
  }),
  reply: z.object({ items: z.array(ReviewItem), next_cursor: z.string().nullable() }),
  needs: "access.review",
  audit: "none",
});

const decided = {
  decision: z.enum(["confirmed", "removed"]),
  reason: manyLines().max(500, "A reason may have 500 characters at most").default(""),
};
const saysWhyRemoved = ({ decision, reason }: { decision: string; reason: string }): boolean =>
  decision === "confirmed" || reason !== "";
const whyRemoved = { path: ["reason"], message: "Say why it is removed" };

export const decideReviewItem = endpoint({
  method: "POST",
  path: "/api/v1/access-control/reviews/:id/items/:item_id/decision",
  summary: "Confirm a membership, or remove it at once; nobody decides on their own",
  params: z.object({ id: AccessReviewId, item_id: ReviewItemId }),
  body: z.strictObject(decided).refine(saysWhyRemoved, whyRemoved),
  reply: ReviewItem,
  needs: "access.review",
  audit: "access-control.membership-reviewed",
  gives: "right",
  stepUp: true,
  thing: "access-review",
});

/** Each membership is decided on and recorded by itself: what failed is named, the rest is done. */
export const decideReviewItems = endpoint({
  method: "POST",
  path: "/api/v1/access-control/reviews/:id/decisions",
  summary: "Decide the same on several memberships of a review",
  params: byId,
  body: z
    .strictObject({ item_ids: z.array(ReviewItemId).min(1, "Choose at least one membership").max(200), ...decided })
    .refine(saysWhyRemoved, whyRemoved),
  reply: z.object({
    done: z.array(ReviewItemId),
    failed: z.array(z.object({ id: ReviewItemId, code: z.string(), message: z.string() })),
    message: z.string(),
  }),
  needs: "access.review",
  audit: "access-control.memberships-reviewed",
  gives: "right",
  stepUp: true,
  thing: "access-review",
});

export const remindReviewers = endpoint({
  method: "POST",
  path: "/api/v1/access-control/reviews/:id/remind",
  summary: "Remind those who have not decided yet",
  params: byId,
  reply: Message,
  needs: "access.manage",
  audit: "access-control.reviewers-reminded",
  gives: "nothing",
  thing: "access-review",
});

export const closeAccessReview = endpoint({
  method: "POST",
  path: "/api/v1/access-control/reviews/:id/close",
  summary: "Close a review; on what nobody decided stays or is removed, as was said at its start",
  params: byId,
  reply: AccessReview,
  needs: "access.manage",
  audit: "access-control.review-closed",
  gives: "nothing",
  thing: "access-review",
});

export const exportAccessReview = endpoint({
  method: "GET",
  path: "/api/v1/access-control/reviews/:id/export",
  summary: "The memberships of a review with what was decided on each, as CSV or JSON",
  params: byId,
  query: z.object({ format: z.enum(["csv", "json"]).default("csv") }),
  reply: { stream: "text/csv" },
  needs: "access.manage",
  audit: "access-control.review-exported",
  stepUp: true,
  thing: "access-review",
});
