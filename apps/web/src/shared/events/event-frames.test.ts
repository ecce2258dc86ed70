import { expect, test } from "vitest";
import { createFrameReader, type Frame } from "./event-frames.ts";

function framesOf(...pieces: string[]): Frame[] {
  const frames: Frame[] = [];
  const take = createFrameReader((frame) => frames.push(frame));
  for (const piece of pieces) take(piece);
  return frames;
}

const TEXT = 'id: 7-1\nevent: credential.changed\ndata: {"a":1}\n\n: still here\n\nid: 7-2\nevent: hello\ndata: {}\n\n';
const FRAMES = [
  { id: "7-1", event: "credential.changed", data: '{"a":1}' },
  { id: "7-2", event: "hello", data: "{}" },
];

test("frames are read with their id, and comments are none", () => {
  expect(framesOf(TEXT)).toEqual(FRAMES);
});

test("a frame comes out whole, wherever the connection cut its text", () => {
  expect(framesOf(...TEXT)).toEqual(FRAMES);
  for (let cut = 1; cut < TEXT.length; cut += 1) expect(framesOf(TEXT.slice(0, cut), TEXT.slice(cut))).toEqual(FRAMES);
});

test("line ends of a proxy, several data lines and fields without a space are read as the standard says", () => {
  expect(framesOf("id:3\r\nda", "ta:one\r\ndata: two\r\n\r\n")).toEqual([
    { id: "3", event: "message", data: "one\ntwo" },
  ]);
});

test("a frame that has not ended stays inside", () => {
  expect(framesOf("id: 1\ndata: {}\n")).toEqual([]);
});
