// oxlint-disable typescript/restrict-template-expressions, typescript/no-misused-spread -- these tests misuse
// secrets on purpose
import assert from "node:assert/strict";
import { Console } from "node:console";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { format, inspect } from "node:util";
import { serialize } from "node:v8";
import * as fc from "fast-check";
import { Secret } from "./secret.ts";

const PLAINTEXT = "hunter2-hunter2-hunter2";
const secret = Secret.fromText(PLAINTEXT);

test("reveal returns exactly the text that went in", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.equal(Secret.fromText(text).reveal(), text);
      assert.deepEqual(Secret.fromText(text).revealBytes(), Buffer.from(text, "utf8"));
    }),
  );
  assert.equal(Secret.fromText("\ufeffwith a byte order mark").reveal(), "\ufeffwith a byte order mark");
});

test("revealBytes returns exactly the bytes that went in", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      assert.deepEqual(new Uint8Array(Secret.fromBytes(bytes).revealBytes()), bytes);
    }),
  );
});

test("text that UTF-8 cannot carry is rejected instead of changed", () => {
  assert.throws(() => Secret.fromText("half a pair \ud800"), TypeError);
});

test("bytes that are not text throw on reveal and are not shown", () => {
  const binary = Secret.fromBytes(Buffer.from([0x70, 0x61, 0xff, 0x73]));
  assert.throws(() => binary.reveal(), { name: "TypeError", message: "This secret is not text." });
});

const shown: Record<string, () => unknown> = {
  "a template literal": () => `${secret}`,
  "String()": () => String(Object(secret)),
  concatenation: () => "".concat(Object(secret)),
  "a number": () => String(Number(secret)),
  toString: () => secret.toString(),
  toLocaleString: () => secret.toLocaleString(),
  "Object.prototype.toString": () => Object.prototype.toString.call(secret),
  JSON: () => JSON.stringify({ secret, list: [secret] }),
  "a JSON replacer": () => JSON.stringify({ secret }, (_, value: unknown) => value),
  inspection: () => inspect({ secret, map: new Map([[secret, secret]]), set: new Set([secret]) }),
  "the deepest inspection": () =>
    inspect(secret, { showHidden: true, depth: Infinity, customInspect: false, getters: true, showProxy: true }),
  "every format": () => format("%s %o %O %j %d %i %f", secret, secret, secret, secret, secret, secret, secret),
  "the console": () => {
    const stream = new PassThrough();
    const console = new Console({ stdout: stream, stderr: stream });
    console.log(secret, { secret });
    console.dir(secret, { showHidden: true });
    console.table([{ secret }]);
    console.error(new Error("failed", { cause: { secret } }));
    return String(stream.read());
  },
  "structured clone": () => inspect(structuredClone({ secret }), { showHidden: true }),
  "V8's serializer": () => serialize({ secret }).toString("latin1"),
  "a spread copy": () => inspect({ ...secret }),
  "its own keys": () => Reflect.ownKeys(secret).map(String).join(),
  "its own descriptors": () => inspect(Object.getOwnPropertyDescriptors(secret)),
  "a failed assertion": () => {
    try {
      assert.deepEqual({ secret }, { secret: PLAINTEXT.length });
    } catch (error) {
      return inspect(error, { depth: Infinity });
    }
    return assert.fail("must not be equal");
  },
};

for (const [way, show] of Object.entries(shown)) {
  test(`a secret does not leak through ${way}`, () => {
    const text = String(show());
    for (const spelling of [PLAINTEXT, PLAINTEXT.slice(0, 7), Buffer.from(PLAINTEXT).toString("hex"), "68 75 6e 74"]) {
      assert.ok(!text.includes(spelling), text);
    }
    assert.ok(!text.includes(Buffer.from(PLAINTEXT).toString("base64").slice(0, 8)), text);
  });
}

test("a secret prints [secret]", () => {
  assert.equal(`${secret}`, "[secret]");
  assert.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}');
  assert.equal(inspect({ secret }), "{ secret: [secret] }");
});

test("a secret keeps a copy: changing its source or a revealed copy does not change it", () => {
  const source = Buffer.from(PLAINTEXT);
  const copied = Secret.fromBytes(source);
  source.fill(0);
  copied.revealBytes().fill(0);
  assert.equal(copied.reveal(), PLAINTEXT);
});

test("revealed bytes share no memory with anything else", () => {
  assert.equal(secret.revealBytes().buffer.byteLength, PLAINTEXT.length);
});

test("dispose zeroes the bytes, and later reveals throw", (t) => {
  const allocate = t.mock.method(Buffer, "allocUnsafeSlow");
  const short = Secret.fromText(PLAINTEXT);
  const kept = allocate.mock.calls[0]?.result;
  assert.equal(kept?.toString(), PLAINTEXT);
  short.dispose();
  short.dispose();
  assert.deepEqual(kept, Buffer.alloc(PLAINTEXT.length));
  assert.throws(() => short.reveal(), /disposed/);
  assert.throws(() => short.revealBytes(), /disposed/);
  assert.equal(`${short}`, "[secret]");
});

test("a secret declared with using is disposed of at the end of its block", () => {
  let outlived: Secret;
  {
    using scoped = Secret.fromText(PLAINTEXT);
    outlived = scoped;
    assert.equal(outlived.reveal(), PLAINTEXT);
  }
  assert.throws(() => outlived.reveal(), /disposed/);
});
