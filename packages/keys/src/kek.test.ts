import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import * as fc from "fast-check";
import { flippedBits } from "../testing/flipped-bits.ts";
import { openSecret, sealSecret } from "./envelope.ts";
import { KekError, SealedError, type KekErrorCode } from "./errors.ts";
import { Kek, kekKeyObject, unwrapKek, wrapKek } from "./kek.ts";
import { RootKey, rootKeyObject } from "./root-key.ts";
import { Secret } from "./secret.ts";

const root = RootKey.generate();

function refusal(act: () => unknown): KekErrorCode {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof KekError, inspect(error));
    return error.code;
  }
  return assert.fail("it opened");
}

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const purpose = fc.oneof(
  word,
  fc.tuple(word, fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/)).map(([name, id]) => `${name}:${id}`),
);

test("a KEK is the same after wrapping and unwrapping", () => {
  fc.assert(
    fc.property(purpose, (of) => {
      const kek = Kek.generate(of);
      const opened = unwrapKek(root, wrapKek(root, kek));
      assert.equal(opened.id, kek.id);
      assert.equal(opened.purpose, of);
      assert.ok(kekKeyObject(opened).equals(kekKeyObject(kek)));
    }),
  );
});

test("an unwrapped KEK opens what the original sealed", () => {
  const kek = Kek.generate("safe:payroll");
  const context = { purpose: "account", recordId: "a-1", version: 1 };
  const envelope = sealSecret(kek, context, Secret.fromText("s3cret"));
  assert.equal(openSecret(unwrapKek(root, wrapKek(root, kek)), context, envelope).reveal(), "s3cret");
});

test("every flipped bit of a wrapped KEK is rejected", () => {
  const stored = wrapKek(root, Kek.generate("token-signing"));
  for (const wrapped of flippedBits(stored.wrapped)) {
    assert.match(
      refusal(() => unwrapKek(root, { ...stored, wrapped })),
      /malformed|unknown-version|refused/,
    );
  }
});

test("a wrapped KEK of a different length is rejected", () => {
  const stored = wrapKek(root, Kek.generate("token-signing"));
  assert.equal(stored.wrapped.length, 84);
  for (let length = 0; length < 84; length++) {
    const wrapped = stored.wrapped.subarray(0, length);
    assert.equal(
      refusal(() => unwrapKek(root, { ...stored, wrapped })),
      "kek.malformed",
    );
  }
  const longer = Buffer.concat([stored.wrapped, Buffer.alloc(1)]);
  assert.equal(
    refusal(() => unwrapKek(root, { ...stored, wrapped: longer })),
    "kek.malformed",
  );
});

test("a wrapped KEK moved to a different row is rejected", () => {
  const ann = wrapKek(root, Kek.generate("vault:ann"));
  const bob = wrapKek(root, Kek.generate("vault:bob"));
  assert.equal(
    refusal(() => unwrapKek(root, { ...ann, wrapped: bob.wrapped })),
    "kek.refused",
  );
  assert.equal(
    refusal(() => unwrapKek(root, { ...ann, id: bob.id })),
    "kek.refused",
  );
  assert.equal(
    refusal(() => unwrapKek(root, { ...ann, purpose: bob.purpose })),
    "kek.refused",
  );
});

test("a different root key opens no KEK, even if the row names that root key", () => {
  const stored = wrapKek(root, Kek.generate("vault:ann"));
  const other = RootKey.generate();
  assert.equal(
    refusal(() => unwrapKek(other, stored)),
    "kek.other-root-key",
  );
  assert.equal(
    refusal(() => unwrapKek(other, { ...stored, rootKeyId: other.id })),
    "kek.refused",
  );
  assert.equal(
    refusal(() => unwrapKek(root, { ...stored, rootKeyId: other.id })),
    "kek.other-root-key",
  );
});

test("a row with an invalid id or purpose is malformed", () => {
  const stored = wrapKek(root, Kek.generate("vault:ann"));
  for (const id of ["", "1", stored.id.toUpperCase(), `${stored.id} `]) {
    assert.equal(
      refusal(() => unwrapKek(root, { ...stored, id })),
      "kek.malformed",
    );
  }
  for (const wrong of ["", "Vault", "vault:", "vault:a b", "vault:ann\n", "x".repeat(201)]) {
    assert.equal(
      refusal(() => unwrapKek(root, { ...stored, purpose: wrong })),
      "kek.malformed",
    );
    assert.throws(() => Kek.generate(wrong), TypeError);
  }
});

test("wrapping the same KEK twice gives different bytes", () => {
  const kek = Kek.generate("fingerprint");
  assert.notDeepEqual(wrapKek(root, kek).wrapped, wrapKek(root, kek).wrapped);
});

test("a disposed KEK or root key throws SealedError", () => {
  const kek = Kek.generate("fingerprint");
  const gone = RootKey.generate();
  const stored = wrapKek(gone, kek);
  gone.dispose();
  assert.throws(() => wrapKek(gone, kek), SealedError);
  assert.throws(() => unwrapKek(gone, stored), SealedError);
  kek.dispose();
  assert.throws(() => wrapKek(root, kek), SealedError);
});

test("printing a KEK or a root key does not show its bytes", () => {
  const kek = Kek.generate("fingerprint");
  for (const [key, bytes] of [
    [kek, kekKeyObject(kek).export()],
    [root, rootKeyObject(root).export()],
  ] as const) {
    const shown =
      inspect(key, { showHidden: true, depth: Infinity }) + JSON.stringify(key) + inspect(structuredClone(key));
    for (const spelling of [
      bytes.toString("hex"),
      bytes.toString("base64"),
      bytes.toString("hex").replace(/../g, "$& "),
    ]) {
      assert.ok(!shown.includes(spelling.slice(0, 12)));
    }
  }
});

test("a root key's id is the same for the same key and differs for a different key", () => {
  const bytes = rootKeyObject(root).export();
  assert.equal(RootKey.fromBytes(bytes).id, root.id);
  assert.match(root.id, /^[0-9a-f]{32}$/);
  for (const flipped of flippedBits(bytes)) assert.notEqual(RootKey.fromBytes(flipped).id, root.id);
});

test("a root key has 32 bytes", () => {
  for (const length of [0, 16, 31, 33, 64]) assert.throws(() => RootKey.fromBytes(Buffer.alloc(length)), RangeError);
});
