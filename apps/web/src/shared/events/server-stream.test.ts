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

test("the stream sends this tab's token in the background and resumes after the last received event", async () => {
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

test("a stream that the server ends calls onEnd, and one closed by the client does not", async () => {
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

test("a closed stream delivers no more frames, not even from the same chunk", async () => {
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

test("a refusal ends the session of its token, and a failed connection does not", async () => {
  api.on(EVENTS, problem(401, "not-signed-in", "Sign in first"));
  open();
  await vi.waitFor(() => expect(said).toEqual(["refused: token of this tab", "end"]));
  api.on(EVENTS, { isCut: true });
  open();
  await vi.waitFor(() => expect(said).toEqual(["refused: token of this tab", "end", "end"]));
});

test("a connection without data or a heartbeat for a minute is ended", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  open();
  await vi.waitFor(() => expect(frames).toHaveLength(1));
  // Waiting advances the fake clock a little too.
  vi.advanceTimersByTime(SILENCE_MS - 10_000);
  await new Promise(setImmediate);
  expect(said).toEqual(["open"]);
  vi.advanceTimersByTime(10_000);
  await vi.waitFor(() => expect(said).toEqual(["open", "end"]));
});
