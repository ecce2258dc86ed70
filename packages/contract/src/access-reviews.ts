// Access reviews: a reviewer confirms or removes each membership.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { GroupId, Message, Moment, SafeId, UserId, manyLines, oneLine, pageQuery } from "./fields.ts";
import { SafePermission, SafeRole } from "./safe-permissions.ts";

export const AccessReviewId = z.uuid().brand<"AccessReviewId">();
export type AccessReviewId = z.infer<typeof AccessReviewId>;
export const ReviewItemId = z.uuid().brand<"ReviewItemId">();
export type ReviewItemId = z.infer<typeof ReviewItemId>;

/** What happens to undecided memberships when the review closes. */
export const Unreviewed = z.enum(["stays", "is-removed"]);

/**
 * `gone`: the membership had ended in a different way. `kept` and `lapsed`: no reviewer decided, and the membership
 * stayed or was removed when the review closed.
 */
export const REVIEW_DECISIONS = ["confirmed", "removed", "gone", "kept", "lapsed"] as const;
export const ReviewDecision = z.enum(REVIEW_DECISIONS);
export type ReviewDecision = z.infer<typeof ReviewDecision>;

export const ReviewCounts = z.object({
  total: z.number().int(),
  /** Undecided memberships that still exist. */
  open: z.number().int(),
  /** The undecided memberships that the caller can decide. */
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
  /** Null when the owners of the safes review. */
  reviewer_name: z.string().nullable(),
  due_at: Moment,
  is_overdue: z.boolean(),
  unreviewed: Unreviewed,
  state: z.enum(["open", "closing", "closed"]),
  started_by: z.string(),
  started_at: Moment,
  /**
   * The last use of each membership was searched this many days back from the review's start; under 365, only
   * retrievals count.
   */
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
  summary: "Access reviews, newest first; non-administrators see those in which they decide",
  query: z.object(pageQuery(50, 20)),
  reply: z.object({ reviews: z.array(AccessReview), next_cursor: z.string().nullable() }),
  needs: "access.review",
  audit: "none",
});

export const readAccessReview = endpoint({
  method: "GET",
  path: "/api/v1/access-control/reviews/:id",
  summary: "One access review and its progress",
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
      safe_ids: z.array(SafeId).min(1, "Choose at least one safe").max(200, "Choose at most 200 safes"),
    }),
    /** The group's own memberships, and its members' direct memberships. */
    z.strictObject({ kind: z.literal("group"), group_id: GroupId }),
  ]),
  /** Defaults to the owner of each safe. */
  reviewer_id: UserId.nullish().transform((id) => id ?? null),
  due_at: Moment,
  unreviewed: Unreviewed,
});
export type NewAccessReview = z.infer<typeof NewAccessReview>;

export const startAccessReview = endpoint({
  method: "POST",
  path: "/api/v1/access-control/reviews",
  summary: "Start an access review of the current memberships, and notify the reviewers",
  body: NewAccessReview,
  reply: AccessReview,
  status: 201,
  needs: "access.manage",
  audit: "access-control.review-started",
  gives: "right",
  stepUp: true,
  givesByToken: "access.manage",
});

/** The permissions of a membership. */
const Given = z.object({
  role: SafeRole,
  permissions: z.array(SafePermission),
  expires_at: Moment.nullable(),
});

export const ReviewItem = z.object({
  id: ReviewItemId,
  safe_id: SafeId,
  safe_name: z.string(),
  /** Exactly one of the two ids is set. */
  user_id: UserId.nullable(),
  group_id: GroupId.nullable(),
  name: z.string(),
  email: z.string().nullable(),
  people: z.number().int().nullable(),
  /** The permissions at the start of the review. */
  given: Given,
  /** The current permissions if they differ; null when they are unchanged or the membership is gone. */
  given_now: Given.nullable(),
  is_gone: z.boolean(),
  added_at: Moment,
  /**
   * The last recorded action with the safe or one of its accounts (such as retrieving, checking in or rotating a
   * password), by the user or by a token, in the 365 days before the review; null without one.
   */
  last_used_at: Moment.nullable(),
  /** Null when any administrator other than the reviewed person can review. */
  reviewer_name: z.string().nullable(),
  decision: ReviewDecision.nullable(),
  reason: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_at: Moment.nullable(),
  /** Whether the caller can decide on the membership now. */
  can_decide: z.boolean(),
});
export type ReviewItem = z.infer<typeof ReviewItem>;

export const listReviewItems = endpoint({
  method: "GET",
  path: "/api/v1/access-control/reviews/:id/items",
  summary: "The memberships of a review, by safe; non-administrators see those that they decide",
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
  reason: manyLines().max(500, "A reason can have at most 500 characters").default(""),
};
const saysWhyRemoved = ({ decision, reason }: { decision: string; reason: string }): boolean =>
  decision === "confirmed" || reason !== "";
const whyRemoved = { path: ["reason"], message: "Give a reason for the removal" };

export const decideReviewItem = endpoint({
  method: "POST",
  path: "/api/v1/access-control/reviews/:id/items/:item_id/decision",
  summary: "Confirm or remove a membership immediately; reviewers cannot decide their own",
  params: z.object({ id: AccessReviewId, item_id: ReviewItemId }),
  body: z.strictObject(decided).refine(saysWhyRemoved, whyRemoved),
  reply: ReviewItem,
  needs: "access.review",
  audit: "access-control.membership-reviewed",
  gives: "right",
  stepUp: true,
  thing: "access-review",
});

/** Each membership is decided and recorded separately: failures are listed and the rest succeed. */
export const decideReviewItems = endpoint({
  method: "POST",
  path: "/api/v1/access-control/reviews/:id/decisions",
  summary: "Apply the same decision to several memberships of a review",
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
  summary: "Remind the reviewers with open decisions",
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
  summary: "Close a review; undecided memberships stay or are removed, as set at its start",
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
  summary: "The memberships of a review with the decision on each, as CSV or JSON",
  params: byId,
  query: z.object({ format: z.enum(["csv", "json"]).default("csv") }),
  reply: { stream: "text/csv" },
  needs: "access.manage",
  audit: "access-control.review-exported",
  stepUp: true,
  thing: "access-review",
});
