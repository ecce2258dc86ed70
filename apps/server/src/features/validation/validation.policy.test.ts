// Tests of the rules of validation that need no database.
import assert from "node:assert/strict";
import { test } from "node:test";
import { excerptOf } from "./validation.policy.ts";

test("an excerpt keeps a short text and cuts a long one after a whole word", () => {
  assert.equal(excerptOf("Ask its administrator.", 22), "Ask its administrator.");
  assert.equal(excerptOf("Ask its administrator.", 21), "Ask its…");
  assert.equal(excerptOf("Ask its  administrator.", 12), "Ask its…");
  assert.equal(excerptOf("x".repeat(30), 10), `${"x".repeat(9)}…`);
});

test("an excerpt does not cut a character in half", () => {
  const cut = excerptOf(`${"x".repeat(8)}😀😀`, 10);
  assert.ok(cut.isWellFormed());
  assert.ok(cut.length <= 10);
});
