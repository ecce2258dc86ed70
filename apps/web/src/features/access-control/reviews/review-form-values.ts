// Values of the form that starts a review: scope, reviewers, due date, and what happens to undecided memberships.
import type { NewReviewFields } from "../access-control.queries.ts";

export interface ReviewValues {
  name: string;
  scope: "all" | "safes" | "group";
  safes: readonly string[];
  group: string;
  reviewers: "owners" | "person";
  reviewer: string;
  /** The value of a date input, in the local time zone. */
  due: string;
  unreviewed: "stays" | "is-removed";
}

const DAY = 24 * 60 * 60_000;
const two = (part: number): string => String(part).padStart(2, "0");

const dateOf = (time: number): string => {
  const at = new Date(time);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

/** `now` in milliseconds since 1970. */
export const emptyReview = (now: number): ReviewValues => ({
  name: "",
  scope: "all",
  safes: [],
  group: "",
  reviewers: "owners",
  reviewer: "",
  due: dateOf(now + 14 * DAY),
  unreviewed: "stays",
});

/** The last moment of the day, in the local time zone. */
const endOf = (date: string): Date => new Date(`${date}T23:59:59.000`);

export type ReviewErrors = Partial<Record<keyof ReviewValues, string>>;

/** An empty result means the form is valid. */
export function checkReview(values: ReviewValues, now: number): ReviewErrors {
  const { name, scope, safes, group, reviewers, reviewer, due } = values;
  return {
    ...(name.trim().length < 3 ? { name: "Give the review a name" } : {}),
    ...(scope === "safes" && safes.length === 0 ? { safes: "Choose at least one safe" } : {}),
    ...(scope === "group" && group === "" ? { group: "Choose a group" } : {}),
    ...(reviewers === "person" && reviewer === "" ? { reviewer: "Choose a reviewer" } : {}),
    ...(due === "" || endOf(due).getTime() <= now ? { due: "The due date must be in the future" } : {}),
  };
}

export function payloadOf({
  name,
  scope,
  safes,
  group,
  reviewers,
  reviewer,
  due,
  unreviewed,
}: ReviewValues): NewReviewFields {
  const scopes: Record<ReviewValues["scope"], NewReviewFields["scope"]> = {
    all: { kind: "all" },
    safes: { kind: "safes", safe_ids: [...safes] },
    group: { kind: "group", group_id: group },
  };
  return {
    name: name.trim(),
    scope: scopes[scope],
    reviewer_id: reviewers === "person" ? reviewer : null,
    due_at: endOf(due).toISOString(),
    unreviewed,
  };
}
