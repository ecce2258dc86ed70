// Labels of access reviews: scope, progress, state and decisions.
import type { AccessReview, ReviewDecision, ReviewItem } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";
import type { Tone } from "#shared/ui/tone.ts";
import { shortDate } from "#shared/format/time.ts";

export function scopeLabel({ scope, group_name: group, safes }: AccessReview): string {
  if (scope === "all") return "All safes";
  return scope === "group" ? `Group ${group ?? ""} and its members` : counted(safes, "selected safe");
}

export const reviewerLabel = ({ reviewer_name: name }: AccessReview): string => name ?? "The owners of the safes";

export const UNREVIEWED_LABELS: Record<AccessReview["unreviewed"], string> = {
  stays: "Keep",
  "is-removed": "Remove",
};

/** Reviews are due at the end of a day. */
export const dueLabel = ({ due_at: due }: AccessReview): string => shortDate(due);

/** Whole percent, rounded down: 100 only when no decision is open. */
export const progressOf = ({ items: { total, open } }: AccessReview): number =>
  total === 0 ? 100 : Math.floor(((total - open) / total) * 100);

export function stateOf(review: AccessReview): { label: string; tone: Tone } {
  if (review.state === "closed") return { label: "Closed", tone: "neutral" };
  if (review.state === "closing") return { label: "Closing", tone: "warning" };
  return review.is_overdue ? { label: "Overdue", tone: "danger" } : { label: "Open", tone: "info" };
}

export const DECISIONS: Record<ReviewDecision, { label: string; tone: Tone }> = {
  confirmed: { label: "Confirmed", tone: "success" },
  removed: { label: "Removed", tone: "danger" },
  gone: { label: "Already gone", tone: "neutral" },
  kept: { label: "Kept, not reviewed", tone: "warning" },
  lapsed: { label: "Removed, not reviewed", tone: "danger" },
};

/** Explains why the caller cannot decide on an open item; null when no explanation is needed. */
export function obstacleOf(item: ReviewItem, isOpen: boolean): string | null {
  if (item.can_decide || item.decision !== null || !isOpen) return null;
  return "Another reviewer decides this: you cannot review your own membership.";
}

/**
 * Label of a membership without a recorded use. Reviews of earlier versions searched only for retrievals, in the last
 * `use_days` days.
 */
export const unusedFor = ({ use_days: days }: AccessReview): string =>
  days < 365
    ? `unknown: no retrieval in the ${days} days before the review`
    : "more than a year before the review, or never";
