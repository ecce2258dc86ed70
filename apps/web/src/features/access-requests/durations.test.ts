import { EXTENSION_DURATIONS } from "@strongroom/contract";
import { expect, test } from "vitest";
import { EXTENSION_CHOICES, minutesOf, remainingText, requestChoices, usualChoice } from "./durations.ts";

test.each([
  ["30 minutes", 30],
  ["1 hour", 60],
  ["2 hours", 120],
  ["4 hours", 240],
  ["8 hours", 480],
  ["24 hours", 1440],
  ["a fortnight", 60],
  ["", 60],
])("JIT-28, JIT-29: %s is sent as %i", (label, minutes) => expect(minutesOf(label)).toBe(minutes));

test("JIT-28: defaults to one hour and offers fewer choices when the platform limits the duration", () => {
  expect(usualChoice(requestChoices(10_080))).toBe("1 hour");
  expect(requestChoices(120)).toEqual(["30 minutes", "1 hour", "2 hours"]);
  expect(usualChoice(requestChoices(30))).toBe("30 minutes");
});

test("JIT-30: offers the extension durations", () => {
  expect(EXTENSION_CHOICES.map(({ value }) => Number(value))).toEqual([...EXTENSION_DURATIONS]);
  expect(EXTENSION_CHOICES.map(({ label }) => label)).toEqual([
    "30 minutes",
    "1 hour",
    "2 hours",
    "4 hours",
    "8 hours",
  ]);
});

test.each([
  [90 * 60_000, "1h 30m"],
  [60_000, "0h 1m"],
  [59_000, "0h 1m"],
  [1, "0h 1m"],
  [25 * 60 * 60_000, "25h 0m"],
  [0, "Expired"],
  [-1, "Expired"],
])("JIT-07: shows %i ms as %s", (ms, text) => expect(remainingText(ms)).toBe(text));
