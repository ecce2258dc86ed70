import { expect, test } from "vitest";
import { countText, percent, measuredTime, toneOfCritical, toneOfRate } from "./figures.ts";

test("VAL-60: rates from 90 are green, from 75 yellow, below red; a missing rate has no colour", () =>
  expect([100, 90, 89.9, 75, 74.9, 0, null].map(toneOfRate)).toEqual([
    "success",
    "success",
    "warning",
    "warning",
    "danger",
    "danger",
    undefined,
  ]));

test("VAL-61: zero critical failures are green, any other number is red", () =>
  expect([0, 1].map(toneOfCritical)).toEqual(["success", "danger"]));

test("OPEN-124: formats durations in milliseconds or seconds", () =>
  expect([340, 999.6, 1240, null].map(measuredTime)).toEqual(["340 ms", "1.00 s", "1.24 s", null]));

test("rounds rates to one decimal and caps counts at ten thousand", () => {
  expect([97.54, 50, null].map(percent)).toEqual(["97.5%", "50%", null]);
  expect([9999, 10_000].map(countText)).toEqual(["9,999", "10,000+"]);
});
