import { expect, test } from "vitest";
import { countText, percent, responseTime, toneOfCritical, toneOfRate } from "./figures.ts";

test("VAL-60: 90 and above is green, 75 and above yellow, below red, and no rate has no colour", () =>
  expect([100, 90, 89.9, 75, 74.9, 0, null].map(toneOfRate)).toEqual([
    "success",
    "success",
    "warning",
    "warning",
    "danger",
    "danger",
    undefined,
  ]));

test("VAL-61: critical failures are green at 0, otherwise red", () =>
  expect([0, 1].map(toneOfCritical)).toEqual(["success", "danger"]));

test("OPEN-124: milliseconds are told in the unit that fits", () =>
  expect([340, 999.6, 1240, null].map(responseTime)).toEqual(["340 ms", "1000 ms", "1.2 s", null]));

test("rates have a decimal at most, and counts end at ten thousand", () => {
  expect([97.54, 50, null].map(percent)).toEqual(["97.5%", "50%", null]);
  expect([9999, 10_000].map(countText)).toEqual(["9,999", "10,000+"]);
});
