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

test("frames are parsed with their id, and comments are ignored", () => {
  expect(framesOf(TEXT)).toEqual(FRAMES);
});

test("a frame split across chunks is parsed whole", () => {
  expect(framesOf(...TEXT)).toEqual(FRAMES);
  for (let cut = 1; cut < TEXT.length; cut += 1) expect(framesOf(TEXT.slice(0, cut), TEXT.slice(cut))).toEqual(FRAMES);
});

test("CRLF line ends, several data lines and fields without a space are parsed as the standard requires", () => {
  expect(framesOf("id:3\r\nda", "ta:one\r\ndata: two\r\n\r\n")).toEqual([
    { id: "3", event: "message", data: "one\ntwo" },
  ]);
});

test("an incomplete frame is not emitted", () => {
  expect(framesOf("id: 1\ndata: {}\n")).toEqual([]);
});
