import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { lengthPrefixed } from "./length-prefixed.ts";

const fields = fc.array(fc.string({ unit: "binary", maxLength: 6 }), { maxLength: 4 });

test("two different lists of fields never give the same bytes", () => {
  fc.assert(
    fc.property(fields, fields, (one, other) => {
      const same = one.length === other.length && one.every((field, index) => field === other[index]);
      assert.equal(lengthPrefixed(...one).equals(lengthPrefixed(...other)), same);
    }),
  );
});

test("moving text across a field boundary gives different bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.nat(), fc.nat(), (text, first, second) => {
      const characters = Array.from(text);
      const split = (at: number) => {
        const cut = at % (characters.length + 1);
        return lengthPrefixed(characters.slice(0, cut).join(""), characters.slice(cut).join(""));
      };
      const isSameCut = first % (characters.length + 1) === second % (characters.length + 1);
      assert.equal(split(first).equals(split(second)), isSameCut);
    }),
  );
});

test("a lone surrogate is rejected, because UTF-8 would merge it with the replacement character", () => {
  assert.throws(() => lengthPrefixed("\ud800"), TypeError);
  assert.ok(lengthPrefixed("\ufffd"));
});
