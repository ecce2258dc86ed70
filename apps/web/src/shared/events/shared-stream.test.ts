import { BroadcastChannel, locks } from "node:worker_threads";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Frame } from "./event-frames.ts";
import { maintainStream, type ConnectionState } from "./maintained-stream.ts";
import { shareStream, type Channel, type Locks } from "./shared-stream.ts";
import { streamsOfTest, type StreamsOfTest } from "./testing/stream-of-test.ts";

/** Node's own locks and channels, which follow the browser standards. */
const realLocks = locks as unknown as Locks;
const channelOf = (name: string) => new BroadcastChannel(name) as unknown as Channel;

interface Tab {
  states: ConnectionState[];
  heard: string[];
  position: string | null;
  close: () => void;
}

let streams: StreamsOfTest;
let tabs: Tab[];
let count = 0;

beforeEach(() => {
  streams = streamsOfTest();
  tabs = [];
  count += 1;
});
afterEach(() => {
  for (const tab of tabs) tab.close();
});

function openTab(person = "ada", locksOfTab = realLocks): Tab {
  const name = `events of ${person} ${count}`;
  const tab: Tab = { states: [], heard: [], position: null, close: () => undefined };
  const onFrame = (frame: Frame) => {
    tab.heard.push(frame.data);
    tab.position = frame.id;
  };
  tab.close = shareStream({
    name,
    locks: locksOfTab,
    channel: channelOf(name),
    position: () => tab.position,
    onPosition: (position) => (tab.position = position),
    onState: (state) => tab.states.push(state),
    onFrame,
    read: (receiver) => maintainStream({ open: streams.open, position: () => tab.position, ...receiver }),
  });
  tabs.push(tab);
  return tab;
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 5 });
const say = (data: string, id = data) => streams.latest().onFrame({ id, event: "credential.changed", data });
const allAre = (state: ConnectionState) =>
  until(() => expect(tabs.map(({ states }) => states.at(-1))).toEqual(tabs.map(() => state)));

/** Opens this number of tabs of one user; the first one reads the stream. */
async function openTabs(many: number): Promise<void> {
  openTab();
  await until(() => expect(streams.all).toHaveLength(1));
  streams.latest().onOpen();
  while (tabs.length < many) openTab();
  await allAre("connected");
}

test("tabs of one user share one stream, and all receive its events", async () => {
  await openTabs(8);
  say("1-1");
  await until(() => expect(tabs.map(({ heard }) => heard)).toEqual(tabs.map(() => ["1-1"])));
  expect(streams.all).toHaveLength(1);
});

test("every tab knows the connection state, including a tab opened later", async () => {
  await openTabs(3);
  streams.latest().onEnd();
  await allAre("error");
  openTab();
  await allAre("error");
});

test("when the reading tab closes, another resumes after the last event without gaps or duplicates", async () => {
  await openTabs(3);
  say("1-1");
  await until(() => expect(tabs[2]!.heard).toEqual(["1-1"]));
  tabs[0]!.close();
  await until(() => expect(streams.all).toHaveLength(2));
  expect(streams.all[0]!.isClosed).toBe(true);
  expect(streams.latest().after).toBe("1-1");
  streams.latest().onOpen();
  say("1-2");
  await until(() =>
    expect(tabs.slice(1).map(({ heard }) => heard)).toEqual([
      ["1-1", "1-2"],
      ["1-1", "1-2"],
    ]),
  );
  expect(tabs[0]!.heard).toEqual(["1-1"]);
});

test("a tab that has received no event knows the position when it takes over", async () => {
  await openTabs(1);
  say("1-1");
  const late = openTab();
  await until(() => expect(late.position).toBe("1-1"));
  tabs[0]!.close();
  await until(() => expect(streams.all).toHaveLength(2));
  expect(streams.latest().after).toBe("1-1");
});

test("a tab that closes while waiting for the lock reads nothing", async () => {
  await openTabs(3);
  tabs[1]!.close();
  tabs[0]!.close();
  await until(() => expect(streams.all).toHaveLength(2));
  streams.latest().onOpen();
  say("1-1");
  await until(() => expect(tabs[2]!.heard).toEqual(["1-1"]));
  expect(tabs[1]!.heard).toEqual([]);
  expect(streams.opened()).toHaveLength(1);
});

test("a tab that cannot get a lock reads its own stream", async () => {
  const refusing: Locks = { request: () => Promise.reject(new DOMException("not here", "SecurityError")) };
  const alone = openTab("ada", refusing);
  await until(() => expect(streams.opened()).toHaveLength(1));
  say("1-1");
  expect(alone.heard).toEqual(["1-1"]);
});

test("two users in one browser have separate streams and events", async () => {
  await openTabs(2);
  const other = openTab("olga");
  await until(() => expect(streams.opened()).toHaveLength(2));
  say("of olga");
  await until(() => expect(other.heard).toEqual(["of olga"]));
  expect(tabs.slice(0, 2).map(({ heard }) => heard)).toEqual([[], []]);
});
