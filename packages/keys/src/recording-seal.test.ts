import assert from "node:assert/strict";
import { createDecipheriv, createSecretKey, hkdfSync } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { flippedBits } from "../testing/flipped-bits.ts";
import { SealedError } from "./errors.ts";
import { Kek, kekKeyObject } from "./kek.ts";
import { recordingSeal } from "./recording-seal.ts";

const kek = Kek.generate("safe:1");
const seal = recordingSeal(kek);

test("a sealed chunk opens with the same key and associated data only", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), fc.uint8Array(), (bytes, about, other) => {
      const sealed = seal.seal(about, bytes);
      assert.equal(sealed.length, bytes.length + 48);
      assert.deepEqual(seal.open(about, sealed), Buffer.from(bytes));
      if (!Buffer.from(about).equals(other)) assert.equal(seal.open(other, sealed), null);
      assert.equal(recordingSeal(Kek.generate("safe:1")).open(about, sealed), null);
    }),
  );
});

test("every flipped bit and every truncation of a sealed chunk is rejected", () => {
  const about = Buffer.from("chunk 7");
  const sealed = seal.seal(about, Buffer.from("some output"));
  for (const flipped of flippedBits(sealed)) assert.equal(seal.open(about, flipped), null);
  for (let length = 0; length < sealed.length; length++)
    assert.equal(seal.open(about, sealed.subarray(0, length)), null);
});

test("a chunk is sealed by HKDF-SHA-256 and AES-256-GCM as documented", () => {
  const sealed = seal.seal(Buffer.from("about"), Buffer.from("text"));
  const ikm = createSecretKey(kekKeyObject(kek).export());
  const key = Buffer.from(hkdfSync("sha256", ikm, sealed.subarray(0, 32), "strongroom/recording-chunk/v1", 32));
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.alloc(12));
  decipher.setAAD(Buffer.from("about"));
  decipher.setAuthTag(sealed.subarray(-16));
  assert.equal(decipher.update(sealed.subarray(32, -16)).toString() + decipher.final().toString(), "text");
});

test("a disposed key seals and opens nothing", () => {
  const gone = Kek.generate("safe:2");
  const seal = recordingSeal(gone);
  const sealed = seal.seal(Buffer.alloc(0), Buffer.from("text"));
  gone.dispose();
  assert.throws(() => seal.seal(Buffer.alloc(0), Buffer.from("text")), SealedError);
  assert.throws(() => seal.open(Buffer.alloc(0), sealed), SealedError);
});
