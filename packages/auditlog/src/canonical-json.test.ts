import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { canonicalise } from "./canonical-json.ts";

/** RFC 8785, appendix B: IEEE 754 bits and their text. */
const NUMBERS: [string, string][] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

/** The test files that RFC 8785 (appendix F) points to: input and output. */
const DOCUMENTS: Record<string, [string, string]> = {
  arrays: [
    '[\n  56,\n  {\n    "d": true,\n    "10": null,\n    "1": [ ]\n  }\n]\n',
    '[56,{"1":[],"10":null,"d":true}]',
  ],
  french: [
    '{"peach":"This sorting order","p\u00e9ch\u00e9":"is wrong according to French","p\u00eache":"but canonicalization MUST","sin":"ingnore locale"}',
    '{"peach":"This sorting order","p\u00e9ch\u00e9":"is wrong according to French","p\u00eache":"but canonicalization MUST","sin":"ingnore locale"}',
  ],
  structures: [
    '{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","a":{},"111":[{}],"A":{}}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}',
  ],
  unicode: ['{"Unnormalized Unicode":"A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}'],
  values: [
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  weird: [
    String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","</script>":"Browser Challenge"}`,
    '{"\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
};

describe("canonical JSON (RFC 8785)", () => {
  it("writes numbers as in appendix B", () => {
    for (const [bits, text] of NUMBERS) {
      const number = Buffer.from(bits, "hex").readDoubleBE();
      assert.equal(canonicalise(number), text, bits);
    }
  });

  it("rejects the two values of appendix B that are not numbers", () => {
    for (const bits of ["7fffffffffffffff", "7ff0000000000000"]) {
      assert.throws(() => canonicalise(Buffer.from(bits, "hex").readDoubleBE()), TypeError);
    }
  });

  for (const [name, [input, output]] of Object.entries(DOCUMENTS)) {
    it(`writes the published document "${name}"`, () => {
      assert.equal(canonicalise(JSON.parse(input)), output);
    });
  }

  it("writes the document of §3.2.2 as the bytes of §3.2.4", () => {
    const bytes =
      "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e333333333" +
      "333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d";
    const text = canonicalise(JSON.parse(DOCUMENTS["values"]![0]));
    assert.equal(Buffer.from(text, "utf8").toString("hex"), bytes);
  });

  const refused: Record<string, unknown> = {
    undefined: undefined,
    "an undefined member": { a: undefined },
    "an array of undefined": Array.from({ length: 1 }),
    "a function": () => 1,
    "a symbol": Symbol("a"),
    "a bigint": 1n,
    "negative infinity": Number.NEGATIVE_INFINITY,
    "a lone high surrogate": "a\ud800b",
    "a lone low surrogate in a name": { "\udc00": 1 },
    "a date": new Date(0),
    "a map": new Map(),
    "an instance of a class": new URL("https://strongroom.test"),
    "sixty-five levels": JSON.parse("[".repeat(65) + "]".repeat(65)),
  };
  for (const [name, value] of Object.entries(refused)) {
    it(`rejects ${name}`, () => {
      assert.throws(() => canonicalise(value), TypeError);
    });
  }

  it("rejects a value that contains itself", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    assert.throws(() => canonicalise(loop), TypeError);
  });

  it("round-trips any value to the same text, whatever the order of members", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        const text = canonicalise(plain);
        assert.deepEqual(JSON.parse(text), plain);
        assert.equal(canonicalise(reversed(plain)), text);
      }),
    );
  });
});

/** The same value with the members of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
