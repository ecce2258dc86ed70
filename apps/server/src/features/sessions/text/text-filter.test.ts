// Tests the filter of a text: it never misses text that a line contains, and rarely matches any other.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { describe, test } from "node:test";
import { TextFilter, mayContain } from "./text-filter.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_./: äé漢";
const randomText = (length: number): string =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]!).join("");

function filterOf(lines: readonly string[]): Uint8Array {
  const filter = new TextFilter();
  for (const line of lines) filter.add(line);
  return filter.bytes();
}

describe("the filter of a text", () => {
  test("contains every part of every line from three characters on, ignoring case", () => {
    for (const count of [1, 20, 500, 5000]) {
      const lines = Array.from({ length: count }, () => randomText(60));
      const filter = filterOf(lines);
      for (let round = 0; round < 500; round += 1) {
        const from = randomInt(50);
        const part = lines[randomInt(count)]!.slice(from, from + 3 + randomInt(8));
        assert.ok(mayContain(filter, part), part);
        assert.ok(mayContain(filter, part.toUpperCase()), part);
      }
    }
  });

  test("is small for a short text and has at most 8 kB", () => {
    assert.equal(filterOf(["$ ls"]).length, 128);
    assert.equal(filterOf([]).length, 128);
    assert.equal(filterOf(Array.from({ length: 5000 }, () => randomText(60))).length, 8 * 1024);
  });

  test("lets fewer than one of a hundred other texts of eight characters through", () => {
    const filter = filterOf(Array.from({ length: 40 }, () => randomText(60)));
    const passed = Array.from({ length: 2000 }, () => randomText(8)).filter((text) => mayContain(filter, text));
    assert.ok(passed.length < 20, `${passed.length} of 2000 passed`);
  });

  test("does not join the end of a line with the start of the next one", () => {
    assert.equal(mayContain(filterOf(["quarterly-fig", "ures.xlsx"]), "figures"), false);
  });
});
