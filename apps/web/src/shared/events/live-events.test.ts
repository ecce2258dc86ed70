import type { LiveEvent } from "@strongroom/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearEventLog, keepEventLog } from "./event-log.ts";
import {
  connectLiveEvents,
  connectionState,
  onLiveEvent,
  waitBeforeReconnect,
  type EventStream,
} from "./live-events.ts";

/** Stands for the browser's EventSource, which neither Node nor jsdom has; the browser flows use the real one. */
class StreamOfTest implements EventStream {
  onopen: ((event: Event) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  isClosed = false;
  readonly #listeners = new Map<string, (event: MessageEvent<string>) => void>();
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.#listeners.set(type, listener);
  }
  close(): void {
    this.isClosed = true;
  }
  send(type: string, data: string): void {
    this.#listeners.get(type)?.(new MessageEvent(type, { data }));
  }
}

const event = (id: string): LiveEvent =>
  ({
    id,
    timestamp: "2026-01-01T00:00:00.000Z",
    type: "credential.changed",
    data: { credential_id: "33333333-3333-4333-8333-333333333333" },
  }) as LiveEvent;

let streams: StreamOfTest[];
let gaps: number;
let stops: (() => void)[];
const latest = () => streams.at(-1)!;

beforeEach(() => {
  vi.useFakeTimers();
  streams = [];
  gaps = 0;
  stops = [
    connectLiveEvents({
      onGap: () => (gaps += 1),
      open: () => {
        const stream = new StreamOfTest();
        streams.push(stream);
        return stream;
      },
    }),
  ];
});
afterEach(() => {
  for (const stop of stops) stop();
  clearEventLog();
  vi.useRealTimers();
});

test("VAL-54: the connection is connecting, connected, error, and disconnected when stopped", () => {
  expect(connectionState()).toBe("connecting");
  latest().onopen?.(new Event("open"));
  expect(connectionState()).toBe("connected");
  latest().onerror?.(new Event("error"));
  expect(connectionState()).toBe("error");
  stops[0]!();
  expect(connectionState()).toBe("disconnected");
  expect(latest().isClosed).toBe(true);
});

test("a broken stream is reconnected after 1 s, then doubling, a minute at most", () => {
  expect([0, 1, 2, 3, 10].map(waitBeforeReconnect)).toEqual([1000, 2000, 4000, 8000, 60_000]);
  latest().onerror?.(new Event("error"));
  vi.advanceTimersByTime(999);
  expect(streams).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(streams).toHaveLength(2);
  latest().onerror?.(new Event("error"));
  vi.advanceTimersByTime(1999);
  expect(streams).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(streams).toHaveLength(3);
});

test("after a gap the screens are told that they may have missed something; at the first connection they are not", () => {
  latest().onopen?.(new Event("open"));
  expect(gaps).toBe(0);
  latest().onerror?.(new Event("error"));
  vi.advanceTimersByTime(1000);
  latest().onopen?.(new Event("open"));
  expect(gaps).toBe(1);
});

test("events are parsed by the contract, and what does not fit is ignored", () => {
  const heard: LiveEvent[] = [];
  stops.push(onLiveEvent((each) => heard.push(each)));
  latest().send("credential.changed", JSON.stringify(event("1")));
  latest().send("credential.changed", "not json");
  latest().send("credential.changed", JSON.stringify({ ...event("2"), data: {} }));
  expect(heard.map(({ id }) => id)).toEqual(["1"]);
});

test("NOTIF-11: the log keeps the newest 50 and each event once", async () => {
  const { renderHook } = await import("@testing-library/react");
  const { useEventLog } = await import("./event-log.ts");
  stops.push(keepEventLog());
  for (let id = 1; id <= 60; id += 1) latest().send("credential.changed", JSON.stringify(event(String(id))));
  latest().send("credential.changed", JSON.stringify(event("60")));
  const { result } = renderHook(() => useEventLog());
  expect(result.current).toHaveLength(50);
  expect(result.current[0]?.id).toBe("60");
});
