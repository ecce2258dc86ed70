import { afterEach, describe, expect, test } from "vitest";
import { storeTimeFormat } from "./time-format.ts";
import {
  absoluteTime,
  countdown,
  duration,
  isoDay,
  nearTime,
  relativeTime,
  responseTime,
  shortDate,
  startOfDay,
  utcDay,
} from "./time.ts";

const NOW = Date.UTC(2026, 5, 15, 12, 0, 0);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ago = (ms: number) => relativeTime(NOW - ms, NOW);

describe("SHELL-34, OPEN-37: relative time", () => {
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

  test("after 7 days the date is shown", () => {
    expect(ago(7 * DAY + 1)).toBe(
      new Date(NOW - 7 * DAY - 1).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" }),
    );
    expect(ago(7 * DAY + 1)).toContain("2026");
  });

  test("a time ahead of the local clock reads as now", () => expect(ago(-5 * MINUTE)).toBe("Just now"));
});

test.each([
  [300_000, "5:00"],
  [61_000, "1:01"],
  [60_500, "1:01"],
  [9000, "0:09"],
  [1, "0:01"],
  [0, "0:00"],
  [-5, "0:00"],
])("AUTH-59: a countdown shows %d ms as %s", (ms, text) => expect(countdown(ms)).toBe(text));

test.each([
  [0, "0s"],
  [59.9, "59s"],
  [60, "1m"],
  [3600, "1h"],
  [12_000, "3h 20m"],
  [86_400 * 4 + 3600 * 6, "4d 6h"],
])("a duration of %d seconds reads as %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test.each([
  [0, "0 ms"],
  [340.4, "340 ms"],
  [999.4, "999 ms"],
  [999.6, "1.00 s"],
  [1240, "1.24 s"],
  [61_500, "61.50 s"],
])("ACC-85, OPEN-124: a response time of %d ms reads as %s", (ms, text) => expect(responseTime(ms)).toBe(text));

test("a day has one format, and a UTC day stays the same in every time zone", () => {
  expect(shortDate(new Date(2026, 10, 22))).toBe("Nov 22, 2026");
  expect(utcDay("2026-11-22T00:00:00.000Z")).toBe("Nov 22");
});

test("a near time shows minutes, and also the day when it is not today", () => {
  const noon = new Date(2026, 5, 15, 12, 0).getTime();
  expect(nearTime(new Date(2026, 5, 15, 14, 17, 55), noon)).toMatch(/^0?2:17|^14:17/);
  expect(nearTime(new Date(2026, 5, 16, 14, 17), noon)).toMatch(/16.*:17/);
});

describe("the format that the user chose", () => {
  afterEach(() => localStorage.clear());
  const MOMENT = "2026-03-09T23:05:07.000Z";

  test("UTC and ISO 8601 apply to every time and to calendar days", () => {
    storeTimeFormat({ zone: "utc", style: "iso" });
    expect(absoluteTime(MOMENT)).toBe("2026-03-09 23:05:07 UTC");
    expect(shortDate(MOMENT)).toBe("2026-03-09");
    expect(nearTime(MOMENT, Date.parse("2026-03-09T01:00:00Z"))).toBe("23:05");
    expect(nearTime(MOMENT, Date.parse("2026-03-10T01:00:00Z"))).toBe("2026-03-09 23:05");
    expect(isoDay(new Date(MOMENT))).toBe("2026-03-09");
    expect(startOfDay(2026, 3, 9).toISOString()).toBe("2026-03-09T00:00:00.000Z");
  });

  test("a stored value that this app did not write is ignored", () => {
    const usual = absoluteTime(MOMENT);
    localStorage.setItem("strongroom.timeFormat", "{");
    expect(absoluteTime(MOMENT)).toBe(usual);
  });
});
