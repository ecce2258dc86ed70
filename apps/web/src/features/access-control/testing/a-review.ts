// Test factories for an access review and its items.
import type { AccessReview, ReviewItem } from "@strongroom/contract";

const AT = "2026-11-20T10:00:00.000Z";

export const aReview = (fields: Partial<AccessReview> = {}): AccessReview => ({
  id: "55555555-5555-4555-8555-555555555555" as AccessReview["id"],
  name: "Autumn review",
  scope: "all",
  group_name: null,
  reviewer_name: null,
  due_at: "2026-12-20T10:00:00.000Z",
  is_overdue: false,
  unreviewed: "stays",
  state: "open",
  started_by: "Ada",
  started_at: AT,
  use_days: 365,
  closed_by: null,
  closed_at: null,
  safes: 1,
  items: { total: 2, open: 1, mine: 1, confirmed: 1, removed: 0, gone: 0, kept: 0, lapsed: 0 },
  ...fields,
});

export const anItem = (fields: Partial<ReviewItem> = {}): ReviewItem => ({
  id: "44444444-4444-4444-8444-444444444444" as ReviewItem["id"],
  safe_id: "33333333-3333-4333-8333-333333333333" as ReviewItem["safe_id"],
  safe_name: "Production servers",
  user_id: "77777777-7777-4777-8777-777777777777" as ReviewItem["user_id"],
  group_id: null,
  name: "Ben",
  email: "ben@example.test",
  people: null,
  given: { role: "user", permissions: ["list", "use", "retrieve"], expires_at: null },
  given_now: null,
  is_gone: false,
  added_at: AT,
  last_used_at: null,
  reviewer_name: "Ada",
  decision: null,
  reason: null,
  decided_by: null,
  decided_at: null,
  can_decide: true,
  ...fields,
});
