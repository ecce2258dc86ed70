import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplayBuffer } from "./replay-buffer.ts";

test("a replay buffer keeps everything until it is full", () => {
  const buffer = new ReplayBuffer(100);
  for (const text of ["half a", " line\r\n", "$ "]) buffer.add(Buffer.from(text));
  assert.equal(buffer.content().toString(), "half a line\r\n$ ");
});

test("a full replay buffer begins at the start of a line", () => {
  const buffer = new ReplayBuffer(30);
  for (let line = 0; line < 5000; line += 1) buffer.add(Buffer.from(`line ${line}\r\n`));
  assert.equal(buffer.content().toString(), "line 4998\r\nline 4999\r\n");
  buffer.add(Buffer.from(`${"x".repeat(1000)}\r\nend`));
  assert.equal(buffer.content().toString(), "end");
});

test("a replay buffer copies the bytes that it is given", () => {
  const buffer = new ReplayBuffer(20);
  const bytes = Buffer.from("secret");
  buffer.add(bytes);
  bytes.fill(0);
  assert.equal(buffer.content().toString(), "secret");
});
