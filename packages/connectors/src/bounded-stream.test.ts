// Tests the stream under every connection: it limits the bytes received and survives readers that throw.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { startTcp } from "../testing/targets/hostile.ts";
import { MAX_RECEIVED_BYTES, TooMuchData, connectBounded, type BoundedStream } from "./bounded-stream.ts";

async function streamTo({ host, port }: { host: string; port: number }, most?: number): Promise<BoundedStream> {
  const { socket, stream } = connectBounded({ host, port }, most);
  await once(socket, "connect");
  return stream;
}

async function streamFrom(t: TestContext, sends: Buffer): Promise<BoundedStream> {
  const server = await startTcp((socket) => socket.write(sends));
  t.after(() => server.stop());
  return streamTo(server);
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

test("small and large reads of several connections do not change each other's bytes", async (t) => {
  const server = await startTcp((socket) => {
    let length = 0;
    socket.on("data", (asked) => {
      // Pieces of 1 byte to 200 kB, each with its own content.
      for (const value of asked) socket.write(Buffer.alloc([1, 100, 5000, 20_000, 200_000][length++ % 5] ?? 0, value));
    });
  });
  t.after(() => server.stop());
  const read = async (first: number) => {
    const stream = await streamTo(server, Infinity);
    const pieces: Buffer[] = [];
    let bytes = 0;
    const all = Promise.withResolvers<void>();
    stream.on("data", (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes === 4 * (1 + 100 + 5000 + 20_000 + 200_000)) all.resolve();
    });
    for (let index = 0; index < 20; index += 1) {
      stream.write(Buffer.from([first + index]));
      await new Promise((next) => setImmediate(next));
    }
    await all.promise;
    stream.destroy();
    return Buffer.concat(pieces);
  };
  const results = await Promise.all([0, 50, 100, 150, 200].map(read));
  for (const [index, result] of results.entries()) {
    const sent = Array.from({ length: 20 }, (_, at) =>
      Buffer.alloc([1, 100, 5000, 20_000, 200_000][at % 5] ?? 0, index * 50 + at),
    );
    assert.ok(result.equals(Buffer.concat(sent)));
  }
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
  const stream = await streamTo(server);
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
