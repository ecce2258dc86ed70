import { expect, test } from "vitest";
import { MAX_EVENTS, POLL_MS, isPolling, withEvent, withPolled, type FeedEvent } from "./live-feed.ts";
import { anAttempt, anEvent } from "../testing/figures.ts";

const feedOf = (count: number) =>
  Array.from({ length: count }, (_, n) => anEvent(`e${n}`, "validation_completed")).reduce<readonly FeedEvent[]>(
    withEvent,
    [],
  );

test("VAL-59: keeps the 100 latest events, newest first", () => {
  const feed = feedOf(MAX_EVENTS + 5);
  expect(feed).toHaveLength(100);
  expect([feed[0]?.id, feed.at(-1)?.id]).toEqual(["e104", "e5"]);
});

test("ignores a repeated event and an event that only updates figures", () => {
  const feed = feedOf(1);
  expect(withEvent(feed, anEvent("e0", "validation_completed"))).toBe(feed);
  expect(withEvent(feed, anEvent("e9", "statistics_update"))).toBe(feed);
});

test("VAL-58, VAL-59, OPEN-139: polling every 15 s keeps 90 events plus the new ones, and without new ones changes nothing", () => {
  expect(POLL_MS).toBe(15_000);
  const attempts = Array.from({ length: 10 }, (_, n) => anAttempt(n, { status: n === 0 ? "unreachable" : "verified" }));
  const feed = withPolled(feedOf(100), attempts);
  expect(feed).toHaveLength(100);
  expect(feed.slice(0, 2).map(({ type }) => type)).toEqual(["validation_failed", "validation_completed"]);
  expect(feed[99]?.id).toBe("e10");
  expect(withPolled(feed, attempts)).toBe(feed);
});

test("VAL-55, VAL-56: polling starts after five failed attempts to reconnect", () =>
  expect([0, 1, 5, 6, 7].map(isPolling)).toEqual([false, false, false, true, true]));
