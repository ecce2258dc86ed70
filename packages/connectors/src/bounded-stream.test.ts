// Tests the stream under every connection: it limits the bytes received and survives readers that throw.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test, type TestContext } from "node:test";
import { startTcp } from "../testing/targets/hostile.ts";
import { BoundedStream, MAX_RECEIVED_BYTES, TooMuchData } from "./bounded-stream.ts";

async function streamFrom(t: TestContext, sends: Buffer): Promise<BoundedStream> {
  const server = await startTcp((socket) => socket.write(sends));
  t.after(() => server.stop());
  const socket = connect(server.port, server.host);
  await once(socket, "connect");
  return new BoundedStream(socket);
}

test("passes on every byte up to its limit", async (t) => {
  const stream = await streamFrom(t, Buffer.alloc(MAX_RECEIVED_BYTES, 7));
  let received = 0;
  for await (const chunk of stream) {
    received += (chunk as Buffer).length;
    if (received === MAX_RECEIVED_BYTES) break;
  }
  assert.equal(received, MAX_RECEIVED_BYTES);
});

test("ends with `TooMuchData` beyond its limit, with or without a reader", async (t) => {
  const stream = await streamFrom(t, Buffer.alloc(MAX_RECEIVED_BYTES + 1, 7));
  stream.resume();
  const [error] = (await once(stream, "error")) as [Error];
  assert.ok(error instanceof TooMuchData);
  assert.ok(stream.destroyed);
});

test("a reader that throws ends the stream with its error, not the process", async (t) => {
  const stream = await streamFrom(t, Buffer.from("malformed"));
  stream.on("data", () => {
    throw new RangeError("out of bounds");
  });
  const [error] = (await once(stream, "error")) as [Error];
  assert.ok(error instanceof RangeError);
});

test("a reader that throws on data buffered during a pause ends the stream", async (t) => {
  const stream = await streamFrom(t, Buffer.from("malformed"));
  await once(stream, "readable");
  stream.on("data", () => {
    throw new RangeError("out of bounds");
  });
  stream.resume();
  const [error] = (await once(stream, "error")) as [Error];
  assert.ok(error instanceof RangeError);
});

test("a reader that throws on a reset or on the end does not end the process", async (t) => {
  const server = await startTcp((socket) => socket.on("data", () => socket.resetAndDestroy()));
  t.after(() => server.stop());
  const socket = connect(server.port, server.host);
  await once(socket, "connect");
  const stream = new BoundedStream(socket);
  const heard: string[] = [];
  for (const event of ["end", "error", "close"]) {
    stream.on(event, () => {
      heard.push(event);
      throw new TypeError("Cannot read properties of null");
    });
  }
  stream.resume();
  stream.write("hello");
  while (!heard.includes("close")) await new Promise((next) => setImmediate(next));
  assert.ok(heard.includes("error"), heard.join());
});
