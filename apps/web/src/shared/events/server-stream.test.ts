import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { configureCalls } from "#shared/api/call.ts";
import type { Frame } from "./event-frames.ts";
import { SILENCE_MS, openServerStream } from "./server-stream.ts";

const EVENTS = "GET /api/v1/events";
let api: TestApi;
let frames: Frame[];
let said: string[];
let close: () => void;

beforeEach(async () => {
  api = await startApi();
  configureCalls({ token: () => "token of this tab", onUnauthorized: (token) => said.push(`refused: ${token}`) });
  [frames, said] = [[], []];
});
afterEach(async () => {
  close();
  vi.useRealTimers();
  configureCalls({ token: () => null, onUnauthorized: () => undefined });
  await api.close();
});

function open(after: string | null = null): void {
  close = openServerStream({
    after,
    onOpen: () => said.push("open"),
    onFrame: (frame) => frames.push(frame),
    onEnd: () => said.push("end"),
  });
}

test("it asks as the person of this tab, in the background, after what was heard last", async () => {
  open("7-1");
  await vi.waitFor(() => expect(frames.map(({ event }) => event)).toEqual(["hello"]));
  const [asked] = api.requestsTo(EVENTS);
  expect(asked?.headers).toMatchObject({
    authorization: "Bearer token of this tab",
    "last-event-id": "7-1",
    "x-background": "1",
  });
  expect(said).toEqual(["open"]);
});

test("a stream that the server ends has ended, and one that is closed here has not", async () => {
  api.on(EVENTS, { text: "event: hello\ndata: {}\n\n", headers: { "content-type": "text/event-stream" } });
  open();
  await vi.waitFor(() => expect(said).toEqual(["open", "end"]));
  api.on(EVENTS, () => new Promise(() => undefined));
  open();
  await vi.waitFor(() => expect(api.requestsTo(EVENTS)).toHaveLength(2));
  close();
  await new Promise(setImmediate);
  expect(said).toEqual(["open", "end"]);
});

test("nothing is heard of a stream after it was closed, not even what had come with the frame before", async () => {
  api.on(EVENTS, { text: "id: 1\ndata: {}\n\nid: 2\ndata: {}\n\n" });
  close = openServerStream({
    after: null,
    onOpen: () => said.push("open"),
    onFrame: (frame) => {
      frames.push(frame);
      close();
    },
    onEnd: () => said.push("end"),
  });
  await vi.waitFor(() => expect(frames).toHaveLength(1));
  await new Promise(setImmediate);
  expect([frames.length, said]).toEqual([1, ["open"]]);
});

test("a refusal ends the session that it was made for, and a failed connection nothing", async () => {
  api.on(EVENTS, problem(401, "not-signed-in", "Sign in first"));
  open();
  await vi.waitFor(() => expect(said).toEqual(["refused: token of this tab", "end"]));
  api.on(EVENTS, { isCut: true });
  open();
  await vi.waitFor(() => expect(said).toEqual(["refused: token of this tab", "end", "end"]));
});

test("a connection on which nothing comes for a minute, not even a sign of life, has ended", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  open();
  await vi.waitFor(() => expect(frames).toHaveLength(1));
  // Waiting moves this clock a little too.
  vi.advanceTimersByTime(SILENCE_MS - 10_000);
  await new Promise(setImmediate);
  expect(said).toEqual(["open"]);
  vi.advanceTimersByTime(10_000);
  await vi.waitFor(() => expect(said).toEqual(["open", "end"]));
});
