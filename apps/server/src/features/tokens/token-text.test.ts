// Tests of the text format of tokens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { beginningOf, hashOfToken, isTokenText, newTokenText } from "./token-text.ts";

test("a token consists of a prefix, 256 bits in base 62 and a checksum, whatever the bits are", () => {
  const zero = newTokenText(Buffer.alloc(32));
  assert.equal(zero.slice(0, 47), `srt_${"0".repeat(43)}`);
  assert.equal(crc32("123456789"), 0xcbf43926, "the CRC-32 of the scanners");
  for (const random of [Buffer.alloc(32), Buffer.alloc(32, 0xff), Buffer.from(`${"00".repeat(31)}3d`, "hex")]) {
    const text = newTokenText(random);
    assert.match(text, /^srt_[0-9A-Za-z]{49}$/);
    assert.equal(hashOfToken(text)?.length, 32);
  }
  assert.equal(beginningOf(zero), "srt_0000");
  assert.ok(isTokenText(zero) && !isTokenText("eyJhbGciOiJFZERTQSJ9.e30.x"));
});

test("a changed, missing or extra character is detected without a database query", () => {
  const text = newTokenText();
  for (let index = 0; index < text.length; index += 1) {
    const other = text[index] === "a" ? "b" : "a";
    assert.equal(hashOfToken(`${text.slice(0, index)}${other}${text.slice(index + 1)}`), null, String(index));
  }
  for (const wrong of [text.slice(1), text.slice(0, -1), `${text}a`, `${text}\n`, ` ${text}`, ""]) {
    assert.equal(hashOfToken(wrong), null);
  }
});
