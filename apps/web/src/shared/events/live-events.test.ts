import type { LiveEvent } from "@strongroom/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearEventLog, keepEventLog } from "./event-log.ts";
import { waitBeforeReconnect } from "./maintained-stream.ts";
import { connectLiveEvents, connectionState, onLiveEvent } from "./live-events.ts";
import { streamsOfTest, type StreamsOfTest } from "./testing/stream-of-test.ts";

const event = (id: string) => ({
  id,
  timestamp: "2026-01-01T00:00:00.000Z",
  type: "credential.changed",
  data: { credential_id: "33333333-3333-4333-8333-333333333333" },
});

let streams: StreamsOfTest;
let gaps: number;
let stops: (() => void)[];
const send = (data: string, id = "") => streams.latest().onFrame({ id, event: "credential.changed", data });

beforeEach(() => {
  vi.useFakeTimers();
  streams = streamsOfTest();
  gaps = 0;
  stops = [connectLiveEvents({ userId: "u1", onGap: () => (gaps += 1), open: streams.open, sharing: null })];
});
afterEach(() => {
  for (const stop of stops) stop();
  clearEventLog();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("VAL-54: the connection state is connecting, connected, error, or disconnected after stopping", () => {
  expect(connectionState()).toBe("connecting");
  streams.latest().onOpen();
  expect(connectionState()).toBe("connected");
  streams.latest().onEnd();
  expect(connectionState()).toBe("error");
  vi.advanceTimersByTime(1000);
  stops[0]!();
  expect(connectionState()).toBe("disconnected");
  expect(streams.latest().isClosed).toBe(true);
});

test("a broken stream reconnects after 1 s, doubling up to a minute", () => {
  expect([0, 1, 2, 3, 10].map(waitBeforeReconnect)).toEqual([1000, 2000, 4000, 8000, 60_000]);
  streams.latest().onEnd();
  vi.advanceTimersByTime(999);
  expect(streams.all).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(streams.all).toHaveLength(2);
  streams.latest().onEnd();
  vi.advanceTimersByTime(1999);
  expect(streams.all).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(streams.all).toHaveLength(3);
});

test("a reconnected stream resumes after the last received event", () => {
  expect(streams.latest().after).toBe(null);
  send(JSON.stringify(event("7-1")), "7-1");
  send("{}", "");
  streams.latest().onEnd();
  vi.advanceTimersByTime(1000);
  expect(streams.latest().after).toBe("7-1");
});

test("a reconnection reports a gap, and the first connection does not", () => {
  streams.latest().onOpen();
  expect(gaps).toBe(0);
  streams.latest().onEnd();
  vi.advanceTimersByTime(1000);
  streams.latest().onOpen();
  expect(gaps).toBe(1);
  streams.latest().onFrame({ id: "9-1", event: "gap", data: "{}" });
  expect(gaps).toBe(2);
});

test("events are parsed by the contract, and invalid ones are ignored", () => {
  const heard: LiveEvent[] = [];
  stops.push(onLiveEvent((each) => heard.push(each)));
  send(JSON.stringify(event("1")));
  send("not json");
  send(JSON.stringify({ ...event("2"), data: {} }));
  expect(heard.map(({ id }) => id)).toEqual(["1"]);
});

test("a tab that cannot share its stream connects only while visible, and misses no event", () => {
  const look = vi.spyOn(document, "visibilityState", "get");
  const turn = (to: DocumentVisibilityState) => {
    look.mockReturnValue(to);
    document.dispatchEvent(new Event("visibilitychange"));
  };
  send(JSON.stringify(event("7-1")), "7-1");
  turn("hidden");
  expect(streams.opened()).toHaveLength(0);
  turn("visible");
  expect(streams.opened()).toHaveLength(1);
  expect(streams.latest().after).toBe("7-1");
  turn("visible");
  expect(streams.opened()).toHaveLength(1);
});

test("NOTIF-11: the log keeps the newest 50 events, each once", async () => {
  const { renderHook } = await import("@testing-library/react");
  const { useEventLog } = await import("./event-log.ts");
  stops.push(keepEventLog());
  for (let id = 1; id <= 60; id += 1) send(JSON.stringify(event(String(id))));
  send(JSON.stringify(event("60")));
  const { result } = renderHook(() => useEventLog());
  expect(result.current).toHaveLength(50);
  expect(result.current[0]?.id).toBe("60");
});
