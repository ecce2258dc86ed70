import type { AccessReview } from "@strongroom/contract";
import { expect, test } from "vitest";
import { progressOf, scopeWords, stateOf, unusedFor } from "./review-words.ts";
import { aReview } from "./testing/a-review.ts";

test("a review is done only when nothing is open", () => {
  const at = (total: number, open: number): AccessReview => ({
    ...aReview(),
    items: { ...aReview().items, total, open },
  });
  expect(progressOf(at(1000, 1))).toBe(99);
  expect(progressOf(at(1000, 0))).toBe(100);
  expect(progressOf(at(3, 3))).toBe(0);
});

test("what it covers and how it stands", () => {
  expect(scopeWords(aReview({ scope: "safes", safes: 1 }))).toBe("1 chosen safe");
  expect(scopeWords(aReview({ scope: "group", group_name: "Operators" }))).toBe("The group Operators and its people");
  expect(stateOf(aReview({ is_overdue: true })).label).toBe("Overdue");
  expect(stateOf(aReview({ is_overdue: true, state: "closed" })).label).toBe("Closed");
});

test("of a membership without a last use no more is said than was looked up", () => {
  expect(unusedFor(aReview())).toBe("more than a year before the review, or never");
  expect(unusedFor(aReview({ use_days: 90 }))).toBe(
    "not known: nothing was retrieved in the 90 days before the review",
  );
});
