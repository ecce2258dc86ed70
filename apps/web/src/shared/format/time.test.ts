import { describe, expect, test } from "vitest";
import { countdown, duration, nearTime, relativeTime } from "./time.ts";

const NOW = Date.UTC(2026, 5, 15, 12, 0, 0);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ago = (ms: number) => relativeTime(NOW - ms, NOW);

describe("SHELL-34: relative time", () => {
  test.each([
    [0, "Just now"],
    [59 * SECOND, "Just now"],
    [MINUTE, "1m ago"],
    [59 * MINUTE + 59 * SECOND, "59m ago"],
    [HOUR, "1h ago"],
    [23 * HOUR + 59 * MINUTE, "23h ago"],
    [DAY, "1d ago"],
    [7 * DAY, "7d ago"],
  ])("%d ms ago reads %s", (ms, text) => expect(ago(ms)).toBe(text));

  test("after 7 days it is the date", () => {
    expect(ago(7 * DAY + 1)).toBe(
      new Date(NOW - 7 * DAY - 1).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" }),
    );
    expect(ago(7 * DAY + 1)).toContain("2026");
  });

  test("a server's clock that runs ahead reads as now, not as the future", () =>
    expect(ago(-5 * MINUTE)).toBe("Just now"));
});

test.each([
  [300_000, "5:00"],
  [61_000, "1:01"],
  [60_500, "1:01"],
  [9000, "0:09"],
  [1, "0:01"],
  [0, "0:00"],
  [-5, "0:00"],
])("AUTH-59: %d ms left count down as %s", (ms, text) => expect(countdown(ms)).toBe(text));

test.each([
  [0, "0s"],
  [59.9, "59s"],
  [60, "1m"],
  [3600, "1h"],
  [12_000, "3h 20m"],
  [86_400 * 4 + 3600 * 6, "4d 6h"],
])("%d seconds read as %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test("a time near now is told to the minute, with the day when it is another one", () => {
  const noon = new Date(2026, 5, 15, 12, 0).getTime();
  expect(nearTime(new Date(2026, 5, 15, 14, 17, 55), noon)).toMatch(/^0?2:17|^14:17/);
  expect(nearTime(new Date(2026, 5, 16, 14, 17), noon)).toMatch(/16.*:17/);
});
