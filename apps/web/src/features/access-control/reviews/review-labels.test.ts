import type { AccessReview } from "@strongroom/contract";
import { expect, test } from "vitest";
import { progressOf, scopeLabel, stateOf, unusedFor } from "./review-labels.ts";
import { aReview } from "../testing/a-review.ts";

test("progress reaches 100 percent only when no decision is open", () => {
  const at = (total: number, open: number): AccessReview => ({
    ...aReview(),
    items: { ...aReview().items, total, open },
  });
  expect(progressOf(at(1000, 1))).toBe(99);
  expect(progressOf(at(1000, 0))).toBe(100);
  expect(progressOf(at(3, 3))).toBe(0);
});

test("labels the scope and state of a review", () => {
  expect(scopeLabel(aReview({ scope: "safes", safes: 1 }))).toBe("1 selected safe");
  expect(scopeLabel(aReview({ scope: "group", group_name: "Operators" }))).toBe("Group Operators and its members");
  expect(stateOf(aReview({ is_overdue: true })).label).toBe("Overdue");
  expect(stateOf(aReview({ is_overdue: true, state: "closed" })).label).toBe("Closed");
});

test("without a recorded use, the label names only the period that was searched", () => {
  expect(unusedFor(aReview())).toBe("more than a year before the review, or never");
  expect(unusedFor(aReview({ use_days: 90 }))).toBe("unknown: no retrieval in the 90 days before the review");
});
